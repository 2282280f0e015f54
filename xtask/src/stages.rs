//! A list of timed stages. All are run, so that one run shows every failure; a stage that needs a
//! failed one is skipped and says so.

use std::time::{Duration, Instant};

use crate::run::Failure;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Passed,
    Failed,
    Skipped,
}

/// Runs stages and remembers how they went.
pub struct Stages {
    began: Instant,
    done: Vec<(&'static str, Outcome, Duration)>,
}

impl Stages {
    /// Nothing run yet.
    pub fn new() -> Stages {
        Stages { began: Instant::now(), done: Vec::new() }
    }

    /// Runs one stage.
    pub fn run(&mut self, name: &'static str, stage: impl FnOnce() -> Result<(), Failure>) {
        eprintln!("\n== {name}");
        let began = Instant::now();
        let result = stage();
        let took = began.elapsed();
        let outcome = match result {
            Ok(()) => {
                eprintln!("== {name}: passed in {}", seconds(took));
                Outcome::Passed
            }
            Err(failure) => {
                eprintln!("== {name}: FAILED after {}: {failure}", seconds(took));
                Outcome::Failed
            }
        };
        self.done.push((name, outcome, took));
    }

    /// Runs one stage if an earlier one passed.
    pub fn run_after(
        &mut self,
        needs: &str,
        name: &'static str,
        stage: impl FnOnce() -> Result<(), Failure>,
    ) {
        if self.done.iter().any(|&(earlier, outcome, _)| earlier == needs && outcome == Outcome::Passed) {
            return self.run(name, stage);
        }
        eprintln!("\n== {name}: skipped, because {needs} did not pass");
        self.done.push((name, Outcome::Skipped, Duration::ZERO));
    }

    /// Prints the summary.
    ///
    /// # Errors
    /// When a stage failed or was skipped; names them.
    pub fn finish(self) -> Result<(), Failure> {
        eprintln!("\n{:<24} {:>9}", "STAGE", "TIME");
        for (name, outcome, took) in &self.done {
            let word = match outcome {
                Outcome::Passed => "",
                Outcome::Failed => "FAILED",
                Outcome::Skipped => "skipped",
            };
            eprintln!("{name:<24} {:>9} {word}", seconds(*took));
        }
        eprintln!("{:<24} {:>9}", "all", seconds(self.began.elapsed()));
        let bad: Vec<&str> = self
            .done
            .iter()
            .filter(|(_, outcome, _)| *outcome != Outcome::Passed)
            .map(|(name, ..)| *name)
            .collect();
        if bad.is_empty() { Ok(()) } else { Err(Failure::new(format!("not passed: {}", bad.join(", ")))) }
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_stage_skips_what_needs_it_and_fails_the_whole() {
        let mut stages = Stages::new();
        let mut ran = Vec::new();
        stages.run("build", || Err(Failure::new("no compiler")));
        stages.run_after("build", "e2e", || {
            ran.push("e2e");
            Ok(())
        });
        stages.run("format", || Ok(()));
        assert!(ran.is_empty());
        assert_eq!(stages.finish().unwrap_err().to_string(), "not passed: build, e2e");
    }

    #[test]
    fn all_passed_is_a_pass() {
        let mut stages = Stages::new();
        stages.run("build", || Ok(()));
        stages.run_after("build", "e2e", || Ok(()));
        assert!(stages.finish().is_ok());
    }
}
