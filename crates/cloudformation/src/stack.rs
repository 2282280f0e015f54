//! A template evaluated: its resources in the order in which they can be made, and its outputs.

use std::collections::BTreeSet;

use crate::document::{Content, Node};
use crate::evaluate::{Attributes, Evaluator, Settings};
use crate::finding::Finding;
use crate::functions;
use crate::kinds;
use crate::resource::Resource;
use crate::template::{Declaration, OutputDeclaration, Template};

/// What a template asks for under some settings.
#[derive(Clone, Debug)]
pub struct Stack {
    /// The resources, each after what it depends on: tables, then what scales them.
    pub resources: Vec<Resource>,
    /// What was left out, when leaving out was wanted.
    pub notes: Vec<Finding>,
}

/// An output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// Its name.
    pub name: String,
    /// Its value, or why there is none.
    pub value: Result<String, String>,
    /// The name under which it is exported.
    pub export: Option<String>,
}

impl Template {
    /// Evaluates the resources.
    ///
    /// # Errors
    /// Everything that is wrong or cannot be deployed, in the order of the file.
    pub fn stack(&self, settings: &Settings) -> Result<Stack, Vec<Finding>> {
        let attributes = Attributes::new();
        let evaluator = Evaluator::new(self, settings, &attributes)?;
        let mut reading = Evaluation { evaluator, findings: Vec::new(), notes: Vec::new() };
        let foreign = self.foreign.clone();
        foreign.into_iter().for_each(|finding| reading.leave_out(finding));
        let mut resources = Vec::new();
        reading.check_conditions();
        for declaration in &self.resources {
            resources.extend(reading.resource(declaration));
        }
        for output in &self.outputs {
            reading.check_output(output);
        }
        let order = reading.order();
        let Evaluation { mut findings, mut notes, .. } = reading;
        findings.sort_by_key(|finding| finding.at);
        notes.sort_by_key(|finding| finding.at);
        if !findings.is_empty() {
            return Err(findings);
        }
        resources.sort_by_key(|resource: &Resource| {
            let place = order.iter().position(|name| *name == resource.logical_id);
            let rank = match &resource.wanted {
                crate::Wanted::Table(_) => 0,
                crate::Wanted::ScalableTarget(_) => 1,
                crate::Wanted::ScalingPolicy(_) => 2,
            };
            (rank, place)
        });
        Ok(Stack { resources, notes })
    }

    /// Evaluates the outputs, once the attributes of deployed resources are known.
    ///
    /// # Errors
    /// As [`Template::stack`].
    pub fn outputs(&self, settings: &Settings, attributes: &Attributes) -> Result<Vec<Output>, Vec<Finding>> {
        let evaluator = Evaluator::new(self, settings, attributes)?;
        let wanted = self.outputs.iter().filter_map(|output| evaluate_output(&evaluator, output).transpose());
        wanted.collect::<Result<_, _>>().map_err(|finding| vec![finding])
    }
}

/// Whether a resource or an output is there.
fn is_wanted(
    evaluator: &Evaluator<'_>,
    condition: &Option<(String, crate::Position)>,
) -> Result<bool, Finding> {
    condition.as_ref().map_or(Ok(true), |(name, at)| evaluator.holds(*at, name))
}

fn evaluate_output(evaluator: &Evaluator<'_>, output: &OutputDeclaration) -> Result<Option<Output>, Finding> {
    if !is_wanted(evaluator, &output.condition)? {
        return Ok(None);
    }
    let value = match evaluator.evaluate(&output.value)?.map(|node| node.content) {
        Some(Content::Text(text)) => Ok(text),
        Some(Content::Unknown(unknown)) => Err(unknown.why),
        _ => return Err(Finding::new(output.value.at, format!("output {} is no text", output.name))),
    };
    let export = match &output.export {
        None => None,
        Some(node) => evaluator.evaluate(node)?.and_then(|node| node.as_text().map(str::to_owned)),
    };
    Ok(Some(Output { name: output.name.clone(), value, export }))
}

struct Evaluation<'t> {
    evaluator: Evaluator<'t>,
    findings: Vec<Finding>,
    notes: Vec<Finding>,
}

impl Evaluation<'_> {
    fn leave_out(&mut self, finding: Finding) {
        if self.evaluator.settings.skip_unsupported {
            self.notes.push(Finding { message: format!("{} (left out)", finding.message), ..finding });
        } else {
            self.findings.push(finding.hint("--skip-unsupported leaves it out"));
        }
    }

    /// A condition that cannot be told is wrong whether something uses it or not.
    fn check_conditions(&mut self) {
        for entry in &self.evaluator.template.conditions {
            if let Err(finding) = self.evaluator.holds(entry.key_at, &entry.key) {
                self.findings.push(finding);
            }
        }
    }

    fn resource(&mut self, declaration: &Declaration) -> Vec<Resource> {
        match is_wanted(&self.evaluator, &declaration.condition) {
            Ok(true) => {}
            Ok(false) => return Vec::new(),
            // A condition of the template that cannot be told has been found already.
            Err(finding) => {
                if !self.findings.contains(&finding) {
                    self.findings.push(finding);
                }
                return Vec::new();
            }
        }
        let Some(kind) = kinds::of(&declaration.kind) else {
            let message = format!("{}: {} is not deployed here", declaration.name, declaration.kind);
            // A type that is nearly one of ours is a mistake, and not something to leave out.
            let is_foreign = declaration.kind.matches("::").count() >= 2
                && !declaration.kind.starts_with("AWS::DynamoDB::")
                && !declaration.kind.starts_with("AWS::ApplicationAutoScaling::");
            if is_foreign {
                self.leave_out(Finding::new(declaration.kind_at, message));
            } else {
                let word = &declaration.kind;
                self.findings.push(Finding::unknown(declaration.kind_at, message, word, kinds::names()));
            }
            return Vec::new();
        };
        let read = self
            .evaluator
            .evaluate(&declaration.properties)
            .map_err(|finding| vec![in_resource(declaration, finding)])
            .and_then(|properties| {
                let nothing = Node { at: declaration.at, content: Content::Map(Vec::new()) };
                kind.read(&self.evaluator, declaration, &properties.unwrap_or(nothing))
            });
        match read {
            Ok((resources, notes)) => {
                self.notes.extend(notes);
                resources
            }
            Err(findings) => {
                self.findings.extend(findings);
                Vec::new()
            }
        }
    }

    /// What is wrong with an output is better known before anything is made.
    fn check_output(&mut self, output: &OutputDeclaration) {
        match evaluate_output(&self.evaluator, output) {
            Ok(_) => {}
            Err(finding) => {
                let message = format!("output {}: {}", output.name, finding.message);
                let at = if finding.at == Default::default() { output.at } else { finding.at };
                self.findings.push(Finding { at, message, ..finding });
            }
        }
    }

    /// The logical ids, each after what it depends on, by `DependsOn` and by what it refers to.
    fn order(&mut self) -> Vec<String> {
        let template = self.evaluator.template;
        let mut order: Vec<String> = Vec::new();
        let mut waiting: Vec<(&Declaration, BTreeSet<String>)> = Vec::new();
        for declaration in &template.resources {
            let mut needs = BTreeSet::new();
            for (name, at) in &declaration.depends_on {
                if template.resource(name).is_none() {
                    let known = template.resources.iter().map(|resource| resource.name.as_str());
                    let message = format!("{}: DependsOn names no resource `{name}`", declaration.name);
                    self.findings.push(Finding::unknown(*at, message, name, known));
                }
                needs.insert(name.clone());
            }
            functions::references(&declaration.properties, &mut needs);
            needs.retain(|name| template.resource(name).is_some());
            waiting.push((declaration, needs));
        }
        while !waiting.is_empty() {
            let is_ready =
                |(_, needs): &(&Declaration, BTreeSet<String>)| needs.iter().all(|need| order.contains(need));
            let Some(next) = waiting.iter().position(is_ready) else {
                let names: Vec<&str> =
                    waiting.iter().map(|(declaration, _)| declaration.name.as_str()).collect();
                let message = format!("these resources depend on each other: {}", names.join(", "));
                self.findings.push(Finding::new(waiting[0].0.at, message));
                return order;
            };
            order.push(waiting.remove(next).0.name.clone());
        }
        order
    }
}

/// Says whose property it is, unless the finding does.
fn in_resource(declaration: &Declaration, finding: Finding) -> Finding {
    Finding { message: format!("{}: {}", declaration.name, finding.message), ..finding }
}
