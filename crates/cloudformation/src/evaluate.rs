//! Evaluation: what a node of the template is, once parameters, conditions and names are known.
//!
//! A function is a mapping of one entry, `Ref` or `Fn::…`. What can be known only after something is deployed, or
//! belongs to a resource that is not deployed here, becomes [`Content::Unknown`] with the reason; what is done about that
//! is decided where the value is used. `AWS::NoValue` becomes nothing, and takes its property with it.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use crate::document::{Content, DEEPEST, Entry, Node};
use crate::finding::{Finding, Position};
use crate::functions;
use crate::kinds;
use crate::template::{Declaration, Template};

/// The longest that a `Ref` of a resource is: a target's, whose resource id has at most 1,600 characters.
const LONGEST_REFERENCE: usize = 2_048;

/// What a template is evaluated for.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The stack's name: `AWS::StackName`, and the beginning of names that the template does not give.
    pub stack: String,
    /// `AWS::Region`.
    pub region: String,
    /// `AWS::AccountId`, when it is known.
    pub account: Option<String>,
    /// Values of parameters, by name.
    pub parameters: BTreeMap<String, String>,
    /// Leave out what cannot be deployed here, and say so, rather than refuse it.
    pub skip_unsupported: bool,
}

/// What is known of deployed resources: by logical id and attribute (`Arn`, `StreamArn`).
pub type Attributes = BTreeMap<(String, String), String>;

/// Evaluates nodes of one template for one set of settings.
pub(crate) struct Evaluator<'t> {
    pub(crate) template: &'t Template,
    pub(crate) settings: &'t Settings,
    parameters: BTreeMap<String, Node>,
    attributes: &'t Attributes,
    conditions: RefCell<BTreeMap<String, bool>>,
    /// What `Ref` gives of resources, as far as it has been asked for.
    references: RefCell<BTreeMap<String, Content>>,
    /// How far evaluation has gone into itself, by nesting and by references that lead from one thing to the next.
    depth: Cell<usize>,
    /// Conditions and resources that are being evaluated, so that circles are found.
    busy: RefCell<Vec<String>>,
}

impl<'t> Evaluator<'t> {
    pub(crate) fn new(
        template: &'t Template,
        settings: &'t Settings,
        attributes: &'t Attributes,
    ) -> Result<Evaluator<'t>, Vec<Finding>> {
        let parameters = crate::parameters::resolve_all(&template.parameters, &settings.parameters)?;
        Ok(Evaluator {
            template,
            settings,
            parameters,
            attributes,
            conditions: RefCell::default(),
            references: RefCell::default(),
            depth: Cell::default(),
            busy: RefCell::default(),
        })
    }

    /// What a node is; `None` when it is `AWS::NoValue`.
    pub(crate) fn evaluate(&self, node: &Node) -> Result<Option<Node>, Finding> {
        self.deeper(node.at, || self.evaluate_node(node))
    }

    /// One step further into evaluation, which must not be too many.
    pub(crate) fn deeper<T>(
        &self,
        at: Position,
        evaluate: impl FnOnce() -> Result<T, Finding>,
    ) -> Result<T, Finding> {
        let depth = self.depth.get();
        if depth >= DEEPEST {
            return Err(Finding::new(at, format!("this is reached only over more than {DEEPEST} others")));
        }
        self.depth.set(depth + 1);
        let result = evaluate();
        self.depth.set(depth);
        result
    }

    fn evaluate_node(&self, node: &Node) -> Result<Option<Node>, Finding> {
        let content = match &node.content {
            Content::List(nodes) => {
                let nodes: Result<Vec<Option<Node>>, Finding> =
                    nodes.iter().map(|node| self.evaluate(node)).collect();
                Content::List(nodes?.into_iter().flatten().collect())
            }
            Content::Map(entries) => match functions::call(entries)? {
                Some((name, argument)) => return functions::run(self, node.at, name, argument),
                None => Content::Map(self.entries(entries)?),
            },
            other => other.clone(),
        };
        Ok(Some(Node { at: node.at, content }))
    }

    fn entries(&self, entries: &[Entry]) -> Result<Vec<Entry>, Finding> {
        let mut evaluated = Vec::with_capacity(entries.len());
        for entry in entries {
            if let Some(value) = self.evaluate(&entry.value)? {
                evaluated.push(Entry { value, ..entry.clone() });
            }
        }
        Ok(evaluated)
    }

    /// `Ref`: a parameter, a pseudo parameter, or a resource.
    pub(crate) fn reference(&self, at: Position, name: &str) -> Result<Option<Node>, Finding> {
        if name == "AWS::NoValue" {
            return Ok(None);
        }
        if let Some(value) = self.parameters.get(name) {
            return Ok(Some(Node { at, ..value.clone() }));
        }
        if name.starts_with("AWS::") {
            return Ok(Some(Node { at, content: self.pseudo(at, name)? }));
        }
        let declaration = self.declared(at, name)?;
        let known = self.references.borrow().get(name).cloned();
        let content = match (known, kinds::of(&declaration.kind)) {
            (Some(known), _) => known,
            (None, Some(kind)) => {
                let content = self.guarded(at, name, |evaluator| kind.reference(evaluator, declaration))?;
                if matches!(&content, Content::Text(text) if text.len() > LONGEST_REFERENCE) {
                    return Err(Finding::new(at, format!("the name of {name} is too long")));
                }
                self.references.borrow_mut().insert(name.to_owned(), content.clone());
                content
            }
            (None, None) => not_deployed(declaration),
        };
        Ok(Some(Node { at, content }))
    }

    /// `Fn::GetAtt`.
    pub(crate) fn attribute(&self, at: Position, name: &str, attribute: &str) -> Result<Node, Finding> {
        let declaration = self.declared(at, name)?;
        let content = match kinds::of(&declaration.kind) {
            None => not_deployed(declaration),
            Some(kind) if !kind.attributes().contains(&attribute) => {
                let message = format!("{} ({name}) has no attribute `{attribute}`", declaration.kind);
                return Err(Finding::unknown(at, message, attribute, kind.attributes().iter().copied()));
            }
            Some(_) => match self.attributes.get(&(name.to_owned(), attribute.to_owned())) {
                Some(value) => Content::Text(value.clone()),
                None => Content::later(format!("{name}.{attribute} is known only once {name} is deployed")),
            },
        };
        Ok(Node { at, content })
    }

    /// A resource that the template has, and does not leave out.
    fn declared(&self, at: Position, name: &str) -> Result<&'t Declaration, Finding> {
        let Some(declaration) = self.template.resource(name) else {
            let resources = self.template.resources.iter().map(|resource| resource.name.as_str());
            let known = resources.chain(self.parameters.keys().map(String::as_str));
            let message = format!("the template has no parameter or resource `{name}`");
            return Err(Finding::unknown(at, message, name, known));
        };
        if let Some((condition, _)) = &declaration.condition
            && !self.holds(at, condition)?
        {
            let message = format!("this refers to {name}, which the condition {condition} leaves out");
            return Err(Finding::new(at, message));
        }
        Ok(declaration)
    }

    fn pseudo(&self, at: Position, name: &str) -> Result<Content, Finding> {
        let settings = self.settings;
        let partition = match settings.region.split('-').next() {
            Some("cn") => "aws-cn",
            Some("us") if settings.region.starts_with("us-gov-") => "aws-us-gov",
            _ => "aws",
        };
        let value = match name {
            "AWS::Region" => settings.region.clone(),
            "AWS::StackName" => settings.stack.clone(),
            "AWS::Partition" => partition.to_owned(),
            "AWS::URLSuffix" if partition == "aws-cn" => "amazonaws.com.cn".to_owned(),
            "AWS::URLSuffix" => "amazonaws.com".to_owned(),
            "AWS::AccountId" => match &settings.account {
                Some(account) => account.clone(),
                None => {
                    return Err(Finding::new(at, "the template asks for AWS::AccountId, which is not known")
                        .hint("--account 123456789012"));
                }
            },
            "AWS::StackId" => {
                return Ok(Content::not_deployed("there is no stack on AWS, so no AWS::StackId".into()));
            }
            "AWS::NotificationARNs" => return Ok(Content::List(Vec::new())),
            other => return Err(Finding::new(at, format!("there is no pseudo parameter {other}"))),
        };
        Ok(Content::Text(value))
    }

    /// Whether a condition of the template holds.
    pub(crate) fn holds(&self, at: Position, name: &str) -> Result<bool, Finding> {
        if let Some(known) = self.conditions.borrow().get(name) {
            return Ok(*known);
        }
        let Some(entry) = self.template.conditions.iter().find(|entry| entry.key == name) else {
            let known = self.template.conditions.iter().map(|entry| entry.key.as_str());
            return Err(Finding::unknown(at, format!("the template has no condition `{name}`"), name, known));
        };
        let holds = self.guarded(at, &format!("the condition {name}"), |evaluator| {
            functions::condition(evaluator, &entry.value)
        })?;
        self.conditions.borrow_mut().insert(name.to_owned(), holds);
        Ok(holds)
    }

    /// Evaluates something that may refer to itself.
    fn guarded<T>(
        &self,
        at: Position,
        what: &str,
        evaluate: impl FnOnce(&Self) -> Result<T, Finding>,
    ) -> Result<T, Finding> {
        if self.busy.borrow().iter().any(|busy| busy == what) {
            return Err(Finding::new(at, format!("{what} depends on itself")));
        }
        self.busy.borrow_mut().push(what.to_owned());
        let result = evaluate(self);
        self.busy.borrow_mut().pop();
        result
    }
}

fn not_deployed(declaration: &Declaration) -> Content {
    Content::not_deployed(format!("{} ({}) is not deployed", declaration.name, declaration.kind))
}
