//! Where things are: the root, the target folder, the built binary.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::run::{Failure, Run};

/// The project on disk.
pub struct Project {
    /// The folder that holds the workspace's `Cargo.toml`.
    pub root: PathBuf,
    /// Cargo's target folder.
    pub target: PathBuf,
    /// A program to test instead of the one that would be built.
    pub binary: Option<PathBuf>,
    /// `cargo metadata`, without dependencies from registries.
    pub metadata: Value,
}

impl Project {
    /// Finds the project that this program was built from.
    ///
    /// # Errors
    /// When `cargo metadata` fails.
    pub fn find() -> Result<Project, Failure> {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = here.parent().unwrap_or(here).to_owned();
        let text = Run::new("cargo")
            .args(["metadata", "--no-deps", "--format-version", "1", "--offline"])
            .in_folder(&root)
            .quiet()
            .output()?;
        let metadata: Value = serde_json::from_str(&text)
            .map_err(|error| Failure::new(format!("`cargo metadata` printed no JSON: {error}")))?;
        let target = metadata["target_directory"]
            .as_str()
            .map(PathBuf::from)
            .ok_or_else(|| Failure::new("`cargo metadata` names no target folder"))?;
        Ok(Project { root, target, binary: None, metadata })
    }

    /// The program under test; [`Project::build_release`] makes it unless one was given.
    pub fn dyno(&self) -> PathBuf {
        self.binary.clone().unwrap_or_else(|| self.target.join("release/dyno"))
    }

    /// Builds the release binary with the same command as a user would, so that it is built once.
    /// Does nothing when a program was given.
    ///
    /// # Errors
    /// When cargo fails.
    pub fn build_release(&self) -> Result<(), Failure> {
        match &self.binary {
            Some(given) if given.is_file() => Ok(()),
            Some(given) => Err(Failure::new(format!("there is no program {}", given.display()))),
            None => self.cargo(["build", "--release", "--locked", "--package", "dyno"]).minutes(20).go(),
        }
    }

    /// A cargo command in the root.
    pub fn cargo<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> Run {
        Run::new("cargo").args(args).in_folder(&self.root)
    }

    /// A folder of our own under the target folder, made if needed.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn scratch(&self, name: &str) -> Result<PathBuf, Failure> {
        let folder = self.target.join(name);
        std::fs::create_dir_all(&folder)
            .map_err(|error| Failure::new(format!("cannot make the folder {}: {error}", folder.display())))?;
        Ok(folder)
    }
}
