//! Carrying a plan out: call by call, waiting for tables to settle, with progress.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use dynamometer_cloudformation::plan::{Action, Step, Wait, unsettled};

use super::{Planned, live, print, service};
use crate::client::{CallError, Client, Endpoint};
use crate::problem::Problem;

/// How long between two looks at a table that has not settled: short at first, for a server of one's own.
const LOOKS: [Duration; 2] = [Duration::from_millis(50), Duration::from_secs(2)];
/// How often the same call is sent while the server says that something else must settle first.
const PATIENCE: Duration = Duration::from_secs(600);
/// How long a server's clock may stand still before nobody is thought to move it.
const STILL: Duration = Duration::from_secs(5);

/// Carries out all changes in order. What fails ends it; what was done stays, and the next run goes on from there.
pub(super) async fn all(client: &Client, planned: &[Planned], notes: &[String]) -> Result<(), Problem> {
    let mut progress = Progress::new();
    for note in notes {
        progress.say(&format!("note: {note}"));
    }
    for Planned { resource, change } in planned {
        if change.action == Action::Keep {
            continue;
        }
        progress.say(&print::heading(resource, change.action));
        for note in &change.notes {
            progress.say(&format!("    note: {note}"));
        }
        for step in &change.steps {
            let began = Instant::now();
            progress.wait(&step.says);
            if let Err(problem) = carry_out(client, step, &mut progress).await {
                progress.clear();
                let what = format!("{}: {}: {problem}", resource.logical_id, step.says);
                let hint = problem
                    .hint
                    .unwrap_or_else(|| "what was done so far stays; run it again to go on".to_owned());
                return Err(Problem::failed(what).hint(hint));
            }
            progress.say(&format!("    {}   {:.1} s", step.says, began.elapsed().as_secs_f64()));
        }
    }
    progress.clear();
    Ok(())
}

async fn carry_out(client: &Client, step: &Step, progress: &mut Progress) -> Result<(), Problem> {
    let began = Instant::now();
    loop {
        match client.call(service(step.service), step.operation, &step.body).await {
            Ok(_) => break,
            // Something else of the table is still changing; DynamoDB says so rather than to queue.
            Err(error) if is_busy(&error) && began.elapsed() < PATIENCE => {
                progress.wait(&format!("{}: {error}", step.says));
                tokio::time::sleep(LOOKS[1]).await;
            }
            Err(error) => return Err(client.problem(step.operation, &error)),
        }
    }
    match &step.wait {
        Wait::Nothing => Ok(()),
        Wait::Gone(name) => {
            let mut looks = Looks::new(client);
            while live::describe(client, name).await?.is_some() {
                progress.wait(&format!("{}: DELETING", step.says));
                looks.pause(name).await?;
            }
            Ok(())
        }
        Wait::Settled(name) => {
            wait_settled(client, name, |state| {
                progress.wait(&format!("{}: {state}", step.says));
            })
            .await
        }
    }
}

/// Waits for a table to settle, when there is one.
pub(super) async fn settle(client: &Client, name: &str) -> Result<(), Problem> {
    let mut progress = Progress::new();
    let settled = wait_settled(client, name, |state| progress.wait(&format!("{name}: {state}"))).await;
    progress.clear();
    settled
}

async fn wait_settled(client: &Client, name: &str, mut show: impl FnMut(&str)) -> Result<(), Problem> {
    let mut looks = Looks::new(client);
    while let Some(state) = live::describe(client, name).await?.as_ref().and_then(unsettled) {
        show(&state);
        looks.pause(name).await?;
    }
    Ok(())
}

fn is_busy(error: &CallError) -> bool {
    error.is("ResourceInUseException")
        || error.is("LimitExceededException") && {
            let text = error.to_string();
            text.contains("simultaneously") || text.contains("being updated")
        }
}

/// Pauses between looks that grow longer.
struct Looks<'c> {
    client: &'c Client,
    next: Duration,
    /// What the server's clock showed, and since when.
    clock: Option<(String, Instant)>,
}

impl Looks<'_> {
    fn new(client: &Client) -> Looks<'_> {
        Looks { client, next: LOOKS[0], clock: None }
    }

    /// # Errors
    /// When the server's clock stands still: with `--clock manual` a table settles only once somebody moves it.
    async fn pause(&mut self, table: &str) -> Result<(), Problem> {
        tokio::time::sleep(self.next).await;
        self.next = (self.next * 2).min(LOOKS[1]);
        let endpoint = self.client.endpoint();
        if *endpoint == Endpoint::Aws {
            return Ok(());
        }
        // Another server than ours has no such path, and a clock that goes.
        let Ok(shown) = self.client.get("/_dyno/clock").await else { return Ok(()) };
        match &self.clock {
            Some((before, since)) if *before == shown && since.elapsed() >= STILL => {
                let sentence =
                    format!("{table} does not settle: the clock of {endpoint} stands still (--clock manual)");
                let hint = format!(
                    "move it, then run this again: curl {endpoint}/_dyno/clock -d '{{\"advance\":\"1m\"}}'"
                );
                Err(Problem::failed(sentence).hint(hint))
            }
            Some((before, _)) if *before == shown => Ok(()),
            _ => {
                self.clock = Some((shown, Instant::now()));
                Ok(())
            }
        }
    }
}

/// Lines on stderr; what is being waited for stands in the last one, on a terminal.
struct Progress {
    is_terminal: bool,
    began: Instant,
    is_shown: bool,
}

impl Progress {
    fn new() -> Progress {
        Progress { is_terminal: std::io::stderr().is_terminal(), began: Instant::now(), is_shown: false }
    }

    /// A line that stays.
    fn say(&mut self, line: &str) {
        self.clear();
        let _ = writeln!(std::io::stderr(), "{line}");
        self.began = Instant::now();
    }

    /// What is being waited for.
    fn wait(&mut self, what: &str) {
        if self.is_terminal {
            let seconds = self.began.elapsed().as_secs();
            let _ = write!(std::io::stderr(), "\r\x1b[K    {what} … {seconds} s");
            let _ = std::io::stderr().flush();
            self.is_shown = true;
        }
    }

    fn clear(&mut self) {
        if self.is_shown {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
            self.is_shown = false;
        }
    }
}
