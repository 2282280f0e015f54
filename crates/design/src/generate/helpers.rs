//! What key helpers there are, whatever the language: for each entity a function for its key and for each index key it has.

use dynamometer_types::ScalarType;

use crate::derive::Derived;
use crate::model::{Design, Target, VariableType};
use crate::template::{Part, Template};

/// The helpers of a design.
pub(super) struct Helpers<'a> {
    /// The variables of all keys, each once, in the order of the file.
    pub(super) variables: Vec<Variable>,
    /// The functions, entity by entity.
    pub(super) functions: Vec<Function<'a>>,
}

/// A variable.
pub(super) struct Variable {
    /// Its name in the design.
    pub(super) name: String,
    /// Whether its values are numbers.
    pub(super) is_number: bool,
}

/// A function that builds a key.
pub(super) struct Function<'a> {
    /// The entity's name.
    pub(super) entity: &'a str,
    /// The table or index.
    pub(super) target: Target,
    /// The index's name, if it is one.
    pub(super) index: Option<&'a str>,
    /// What it needs, in the order of the key.
    pub(super) variables: Vec<String>,
    /// The attributes of the key, the partition key first.
    pub(super) attributes: Vec<KeyPart<'a>>,
    /// How many of them are the partition key.
    partition: usize,
}

/// An attribute of a key.
pub(super) struct KeyPart<'a> {
    /// Its name.
    pub(super) name: &'a str,
    /// Its type.
    pub(super) kind: ScalarType,
    /// Its value.
    pub(super) template: Template,
}

/// Works out the helpers of a design.
pub(super) fn helpers(design: &Design) -> Helpers<'_> {
    let mut functions = Vec::new();
    for entity in &design.entities {
        for target in design.targets().into_iter().filter(|target| target.table == entity.table) {
            let keys = design.keys(target);
            let parts: Option<Vec<KeyPart<'_>>> = keys
                .attributes()
                .map(|attribute| {
                    let template = entity.template(&attribute.name)?.value;
                    Some(KeyPart { name: &attribute.name, kind: attribute.scalar_type, template })
                })
                .collect();
            let Some(attributes) = parts else { continue };
            let mut variables: Vec<String> = Vec::new();
            for name in attributes.iter().flat_map(|part| part.template.variables()) {
                if !variables.iter().any(|known| known == name) {
                    variables.push(name.to_owned());
                }
            }
            let index = design.index(target).map(|index| index.name.as_str());
            let partition = keys.partition.len();
            functions.push(Function {
                entity: &entity.name,
                target,
                index,
                variables,
                attributes,
                partition,
            });
        }
    }
    let derived = Derived::of(design);
    let mut variables: Vec<Variable> = Vec::new();
    for name in functions.iter().flat_map(|function| &function.variables) {
        if !variables.iter().any(|known| known.name == *name) {
            let is_number = is_number(&derived, &functions, name);
            variables.push(Variable { name: name.clone(), is_number });
        }
    }
    Helpers { variables, functions }
}

/// A variable is a number where it is said to be one, or where it is the whole of a key of type N.
fn is_number(derived: &Derived<'_>, functions: &[Function<'_>], name: &str) -> bool {
    let said = matches!(derived.kind(name), VariableType::Number);
    let parts = functions.iter().flat_map(|function| &function.attributes);
    let mut of_numbers = parts.filter(|part| part.kind == ScalarType::N);
    said || of_numbers.any(|part| part.template.variables().any(|own| own == name))
}

impl Variable {
    /// A value for tests.
    pub(super) fn sample(&self) -> String {
        if self.is_number { "7".into() } else { format!("{}-1", self.name) }
    }
}

impl Helpers<'_> {
    /// Whether a variable is a number.
    pub(super) fn is_number(&self, name: &str) -> bool {
        self.variables.iter().any(|variable| variable.name == name && variable.is_number)
    }

    /// The value of a key attribute with sample values in it: what tests expect.
    pub(super) fn sample(&self, template: &Template) -> String {
        let piece = |part: &Part| match part {
            Part::Literal(text) => text.clone(),
            Part::Variable(name) => {
                let variable = self.variables.iter().find(|variable| variable.name == *name);
                variable.map(Variable::sample).unwrap_or_default()
            }
        };
        template.parts().iter().map(piece).collect()
    }
}

impl Function<'_> {
    /// The key in words: `ORDER#<orderId> / DETAIL`.
    pub(super) fn words(&self) -> String {
        self.attributes.iter().map(|part| part.template.to_string()).collect::<Vec<_>>().join(" / ")
    }

    /// What the sort key begins with, if it is one attribute that begins with something and goes on with a variable.
    pub(super) fn sort_prefix(&self) -> Option<&str> {
        let [sort] = self.attributes.get(self.partition..)? else { return None };
        let prefix = sort.template.prefix();
        (!prefix.is_empty() && !sort.template.is_constant()).then_some(prefix)
    }
}
