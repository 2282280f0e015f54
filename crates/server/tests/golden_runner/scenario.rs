//! The text form of a scenario.

use dynamometer_types::ErrorKind;
use serde_json::{Map, Value};

use super::placeholders::{self, Kept};

/// A file: a beginning, and steps.
pub struct Scenario {
    /// Files of `_setup` that run first.
    pub uses: Vec<String>,
    pub steps: Vec<Step>,
}

/// A request and its answer, or a jump in time.
pub struct Step {
    /// The line of its `>`, from 1.
    pub line: usize,
    pub operation: String,
    /// How often it is sent; in its texts `<i>` is the number of the sending, from 1.
    pub times: u32,
    /// JSON with placeholders; or anything else, sent as it is.
    pub request: String,
    pub status: u16,
    /// JSON with placeholders; without it the body may be anything.
    pub answer: Option<String>,
    pub advance_seconds: Option<i64>,
    /// Whether the answer is no longer the one in the file.
    pub changed: bool,
}

impl Step {
    /// The answer that the `index`-th sending should get.
    pub fn expected(&self, index: u32, kept: &Kept) -> Option<Value> {
        let text = placeholders::expand(self.answer.as_ref()?, index, kept);
        Some(
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("line {}: {error}: {text}", self.line)),
        )
    }
}

impl Scenario {
    /// Reads a file.
    pub fn parse(text: &str) -> Result<Scenario, String> {
        let mut scenario = Scenario { uses: vec![], steps: vec![] };
        let mut header = String::new();
        let mut part = Part::Header;
        for (at, line) in text.lines().enumerate() {
            let refuse = |what: &str| format!("line {}: {what}: {line}", at + 1);
            if line.starts_with('#') {
                header.push_str(line);
                header.push('\n');
            } else if let Some(uses) = line.strip_prefix("use: ") {
                scenario.uses.extend(uses.split_whitespace().map(str::to_owned));
            } else if line.starts_with("serve: ") {
                // Read where the server is made, see `golden.rs`.
            } else if let Some(seconds) = line.strip_prefix("! advance ") {
                let seconds = seconds.trim().parse().map_err(|_| refuse("not a number of seconds"))?;
                scenario.steps.push(Step { advance_seconds: Some(seconds), ..Step::at(at + 1) });
                part = Part::Header;
            } else if let Some(request) = line.strip_prefix("> ") {
                let (operation, times) = match request.split_once(" * ") {
                    None => (request.trim(), 1),
                    Some((operation, times)) => {
                        (operation.trim(), times.trim().parse().map_err(|_| refuse("not a count"))?)
                    }
                };
                scenario.steps.push(Step { operation: operation.into(), times, ..Step::at(at + 1) });
                part = Part::Request;
            } else if let Some(status) = line.strip_prefix("< ") {
                let step = scenario.steps.last_mut().ok_or_else(|| refuse("an answer without a request"))?;
                let (status, error) = status.split_once(' ').unwrap_or((status, ""));
                step.status = status.parse().map_err(|_| refuse("not a status"))?;
                if !error.is_empty() {
                    let body = error_body(error, is_plain(&step.operation));
                    step.answer = Some(body.ok_or_else(|| refuse("not a code of the catalogue"))?);
                }
                part = Part::Answer;
            } else if !line.trim().is_empty() {
                let step = scenario.steps.last_mut().ok_or_else(|| refuse("text before the first step"))?;
                match part {
                    Part::Header => return Err(refuse("text outside of a step")),
                    Part::Request => push_line(&mut step.request, line),
                    Part::Answer => push_line(step.answer.get_or_insert_default(), line),
                }
            }
        }
        for word in ["# status: measured", "# status: documented", "# status: assumed"] {
            if header.contains(word) {
                return Ok(scenario);
            }
        }
        Err("a header line `# status: measured|documented|assumed` with its source is missing".into())
    }

    /// Writes the file with the new answers of the steps that changed; all else stays as it was in `text`.
    pub fn print(&self, text: &str) -> String {
        let mut out = String::new();
        let mut steps = self.steps.iter();
        let mut step: Option<&Step> = None;
        let mut replacing = false;
        for line in text.lines() {
            if line.starts_with("> ") || line.starts_with("! ") {
                step = steps.next();
            }
            match step {
                Some(step) if step.changed && line.starts_with("< ") => {
                    out.push_str(&step.print_answer());
                    replacing = true;
                    continue;
                }
                _ => {}
            }
            replacing &= !(line.is_empty() || line.starts_with("> ") || line.starts_with("! "));
            if !replacing {
                out.push_str(line);
                out.push('\n');
            }
        }
        out
    }
}

#[derive(Clone, Copy)]
enum Part {
    Header,
    Request,
    Answer,
}

impl Step {
    fn at(line: usize) -> Step {
        Step {
            line,
            operation: String::new(),
            times: 1,
            request: String::new(),
            status: 200,
            answer: None,
            advance_seconds: None,
            changed: false,
        }
    }
}

impl Step {
    fn print_answer(&self) -> String {
        match self.answer.as_deref() {
            None => format!("< {}\n", self.status),
            Some(answer) => match short_form(answer, is_plain(&self.operation)) {
                Some(error) => format!("< {} {error}\n", self.status),
                None => format!("< {}\n{answer}\n", self.status),
            },
        }
    }
}

/// Whether the service of an operation writes errors without namespaces, and speaks JSON 1.1.
pub fn is_plain(operation: &str) -> bool {
    operation.starts_with("AnyScaleFrontendService.")
}

/// The body that `Code: words` is short for.
fn error_body(error: &str, is_plain: bool) -> Option<String> {
    let (code, words) = error.split_once(": ").unwrap_or((error, ""));
    let row = ErrorKind::ALL.iter().map(|kind| kind.row()).find(|row| row.code == code)?;
    let code = if is_plain { code.to_owned() } else { format!("{}#{}", row.namespace, row.code) };
    let member = if is_plain { "Message" } else { row.message_member };
    let mut body = Map::new();
    body.insert("__type".into(), code.into());
    if !words.is_empty() {
        body.insert(member.into(), words.into());
    }
    Some(Value::Object(body).to_string())
}

/// `Code: words`, when that is short for the body.
fn short_form(body: &str, is_plain: bool) -> Option<String> {
    let parsed: Value = serde_json::from_str(body).ok()?;
    let kind = parsed["__type"].as_str()?;
    let code = if is_plain { kind } else { kind.split_once('#')?.1 };
    let short = match parsed["message"].as_str().or(parsed["Message"].as_str()) {
        Some(words) => format!("{code}: {words}"),
        None => code.to_owned(),
    };
    let same = serde_json::from_str::<Value>(&error_body(&short, is_plain)?).ok()? == parsed;
    same.then_some(short)
}

fn push_line(text: &mut String, line: &str) {
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(line);
}

/// JSON on one line when it is short, else on several.
pub fn print_json(value: &Value) -> String {
    let compact = value.to_string();
    if compact.len() <= 110 { compact } else { serde_json::to_string_pretty(value).unwrap() }
}
