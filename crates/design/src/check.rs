//! Holding a design against the rules.

use dynamometer_capacity::money::RegionPrices;

use crate::derive::Derived;
use crate::load::{self, Load};
use crate::model::{Design, Member, Pattern, Read, Target, Write};
use crate::plan::{self, Served, Service};
use crate::rules::{RULES, Rule};
use crate::source::Label;
use crate::yaml::Span;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// A call will fail or data will be wrong.
    Error,
    /// It will throttle, lag or overspend under the load that is said.
    Warning,
    /// Advice.
    Info,
}

impl Severity {
    /// The word in messages.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
        }
    }
}

/// What a rule found.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, with the numbers that made it fire.
    pub message: String,
    /// Where, the place of the trouble first.
    pub labels: Vec<Label>,
    /// The numbers by name.
    pub numbers: Vec<(&'static str, String)>,
    /// What to do.
    pub fix: String,
    /// The patterns that it is about.
    pub patterns: Vec<usize>,
}

/// A design with all that was found out about it.
#[derive(Debug)]
pub struct Checked<'a> {
    /// The design, and what follows from it.
    pub derived: Derived<'a>,
    /// How each pattern is served.
    pub services: Vec<Service>,
    /// What is asked of tables, indexes and keys.
    pub load: Load,
    /// What the rules found, the worst first within the order of the file.
    pub findings: Vec<Finding>,
}

/// What a rule looks at.
pub struct Context<'a> {
    /// The design.
    pub design: &'a Design,
    /// What follows from it.
    pub derived: &'a Derived<'a>,
    /// How each pattern is served.
    pub services: &'a [Service],
    /// What is asked of tables, indexes and keys.
    pub load: &'a Load,
    /// The prices.
    pub prices: &'a RegionPrices<'a>,
}

/// What a rule puts down.
pub struct Findings {
    rule: &'static Rule,
    list: Vec<Finding>,
}

impl Findings {
    /// Puts down something at a place; what is added to it follows.
    pub fn add(&mut self, severity: Severity, span: Span, message: impl Into<String>) -> &mut Finding {
        let label = Label::new(span, "");
        self.list.push(Finding {
            rule: self.rule,
            severity,
            message: message.into(),
            labels: vec![label],
            numbers: Vec::new(),
            fix: String::new(),
            patterns: Vec::new(),
        });
        let last = self.list.len() - 1;
        &mut self.list[last]
    }
}

impl Finding {
    /// What is said under the first place.
    pub fn under(&mut self, text: impl Into<String>) -> &mut Finding {
        self.labels[0].text = text.into();
        self
    }

    /// Another place.
    pub fn also(&mut self, span: Span, text: impl Into<String>) -> &mut Finding {
        self.labels.push(Label::new(span, text));
        self
    }

    /// A number that made it fire.
    pub fn number(&mut self, name: &'static str, value: impl std::fmt::Display) -> &mut Finding {
        self.numbers.push((name, value.to_string()));
        self
    }

    /// What to do.
    pub fn fix(&mut self, text: impl Into<String>) -> &mut Finding {
        self.fix = text.into();
        self
    }

    /// A pattern that it is about.
    pub fn pattern(&mut self, pattern: usize) -> &mut Finding {
        self.patterns.push(pattern);
        self
    }

    /// Patterns that it is about.
    pub fn patterns(&mut self, patterns: &[usize]) -> &mut Finding {
        self.patterns.extend(patterns);
        self
    }
}

/// Plans, sums up, and runs every rule that needs a design only.
pub fn check<'a>(design: &'a Design, prices: &RegionPrices<'_>) -> Checked<'a> {
    let derived = Derived::of(design);
    let services = plan::plan(&derived);
    let load = load::load(&derived, &services);
    let mut findings = Vec::new();
    {
        let context = Context { design, derived: &derived, services: &services, load: &load, prices };
        for rule in RULES {
            let Some(check) = rule.check else { continue };
            let mut found = Findings { rule, list: Vec::new() };
            check(&context, &mut found);
            findings.append(&mut found.list);
        }
    }
    findings.sort_by_key(|finding| (finding.severity, finding.labels[0].span, finding.rule.id));
    Checked { derived, services, load, findings }
}

impl Checked<'_> {
    /// How many findings are this bad.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.severity == severity).count()
    }

    /// Whether a pattern is served, but something will hurt it.
    pub fn is_at_risk(&self, pattern: usize) -> bool {
        let hurts =
            |finding: &&Finding| finding.severity < Severity::Info && finding.patterns.contains(&pattern);
        self.services[pattern].served().is_some() && self.findings.iter().any(|finding| hurts(&finding))
    }

    /// The rules that a pattern's findings come from, the worst first.
    pub fn rules_of(&self, pattern: usize) -> Vec<&'static str> {
        let mut ids: Vec<&'static str> = Vec::new();
        for finding in &self.findings {
            if finding.severity < Severity::Info
                && finding.patterns.contains(&pattern)
                && !ids.contains(&finding.rule.id)
            {
                ids.push(finding.rule.id);
            }
        }
        ids
    }

    /// The finding's place as `line:column`, for people.
    pub fn place(finding: &Finding) -> String {
        let start = finding.labels[0].span.start;
        format!("{}:{}", start.line, start.column)
    }
}

impl<'a> Context<'a> {
    /// The patterns that read.
    pub fn reads(&self) -> impl Iterator<Item = (usize, &'a Pattern, &'a Read)> {
        let patterns = self.design.patterns.iter().enumerate();
        patterns.filter_map(|(at, pattern)| Some((at, pattern, pattern.read()?)))
    }

    /// The patterns that write.
    pub fn writes(&self) -> impl Iterator<Item = (usize, &'a Pattern, &'a Write)> {
        let patterns = self.design.patterns.iter().enumerate();
        patterns.filter_map(|(at, pattern)| Some((at, pattern, pattern.write()?)))
    }

    /// Every write of an item of an entity.
    pub fn writes_of(&self, entity: usize) -> Vec<(usize, &'a Pattern, &'a Write, &'a Member)> {
        let members = self.writes().flat_map(|(at, pattern, write)| {
            write.members.iter().map(move |member| (at, pattern, write, member))
        });
        members.filter(|(.., member)| member.entity.value == entity).collect()
    }

    /// How a pattern is served, if it is.
    pub fn served(&self, pattern: usize) -> Option<&'a Served> {
        self.services[pattern].served()
    }

    /// What a table or an index is called.
    pub fn name(&self, target: Target) -> String {
        self.design.target_name(target)
    }
}
