//! Terraform's language, laid out as `terraform fmt` does.

use std::fmt::Write as _;

/// A block: its head, and what is in it.
#[derive(Debug, Default)]
pub(super) struct Block {
    head: String,
    parts: Vec<Part>,
}

#[derive(Debug)]
enum Part {
    Attribute(String, String),
    Block(Block),
}

impl Block {
    /// `resource "aws_dynamodb_table" "app"`: words behind the first are quoted.
    pub(super) fn new(kind: &str, labels: &[&str]) -> Block {
        let labels: String = labels.iter().map(|label| format!(" {}", text(label))).collect();
        Block { head: format!("{kind}{labels}"), parts: Vec::new() }
    }

    /// An attribute with an expression.
    pub(super) fn set(&mut self, name: &str, expression: impl Into<String>) -> &mut Block {
        self.parts.push(Part::Attribute(name.to_owned(), expression.into()));
        self
    }

    /// A block inside of it.
    pub(super) fn block(&mut self, block: Block) -> &mut Block {
        self.parts.push(Part::Block(block));
        self
    }

    /// The block as text.
    pub(super) fn print(&self) -> String {
        let mut out = String::new();
        self.write(0, &mut out);
        out
    }

    fn write(&self, depth: usize, out: &mut String) {
        let indent = "  ".repeat(depth);
        let _ = writeln!(out, "{indent}{} {{", self.head);
        let mut at = 0;
        while at < self.parts.len() {
            if at > 0
                && (matches!(self.parts[at], Part::Block(_)) || matches!(self.parts[at - 1], Part::Block(_)))
            {
                out.push('\n');
            }
            match &self.parts[at] {
                Part::Block(block) => {
                    block.write(depth + 1, out);
                    at += 1;
                }
                Part::Attribute(..) => {
                    // Attributes that follow each other have their signs in one column.
                    let run: Vec<(&String, &String)> = self.parts[at..]
                        .iter()
                        .map_while(|part| match part {
                            Part::Attribute(name, expression) => Some((name, expression)),
                            Part::Block(_) => None,
                        })
                        .collect();
                    let width = run.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
                    for (name, expression) in &run {
                        let _ = writeln!(out, "{indent}  {name:width$} = {expression}");
                    }
                    at += run.len();
                }
            }
        }
        let _ = writeln!(out, "{indent}}}");
    }
}

/// A text as Terraform quotes it; `${` would begin an expression.
pub(super) fn text(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace("${", "$${").replace("%{", "%%{");
    format!("\"{escaped}\"")
}
