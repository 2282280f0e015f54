//! `dyno design generate`.

use std::path::Path;
use std::process::ExitCode;

use dynamometer_design::generate::{File, GenerateError, Output, generate as write};
use dynamometer_design::{Severity, check};

use super::{DesignPrices, Done, GenerateArgs, Target, load};
use crate::problem::Problem;

/// Writes what was asked for; a single file is printed when no folder is named.
pub(super) fn generate(args: &GenerateArgs) -> Done {
    let loaded = load(&args.file)?;
    let (table, region) = DesignPrices { region: None, prices: None }.of(&loaded.design)?;
    let prices = table.region(&region).map_err(Problem::wrong)?;
    let checked = check(&loaded.design, &prices);
    let errors = checked.count(Severity::Error);
    if errors > 0 {
        let found = if errors == 1 { "an error".to_owned() } else { format!("{errors} errors") };
        eprintln!("note: the check finds {found}: dyno design check {}", args.file.display());
    }
    let source = args.file.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned());
    let files =
        write(&loaded.design, &checked.load, &source, args.format.into()).map_err(|error| match &error {
            GenerateError::Name { .. } => Problem::wrong(&error).hint("rename it in the design"),
            GenerateError::NoEntities => Problem::wrong(&error).hint("add `entities`: docs/design-file.md"),
        })?;
    match (&args.out, files.as_slice()) {
        (Some(folder), files) => {
            put(folder, files)?;
            Ok((String::new(), ExitCode::SUCCESS))
        }
        (None, [file]) => Ok((file.text.clone(), ExitCode::SUCCESS)),
        (None, files) => {
            let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
            let problem = Problem::wrong(format!("{} are several files", names.join(", ")));
            Err(problem.hint("name a folder for them: --out DIR"))
        }
    }
}

/// Writes files into a folder, over those of an earlier time.
fn put(folder: &Path, files: &[File]) -> Result<(), Problem> {
    let failed = |path: &Path, error| Problem::failed(format!("cannot write {}: {error}", path.display()));
    std::fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
    for file in files {
        let path = folder.join(&file.name);
        std::fs::write(&path, &file.text).map_err(|error| failed(&path, error))?;
        eprintln!("wrote {}", path.display());
    }
    Ok(())
}

impl From<Target> for Output {
    fn from(target: Target) -> Output {
        match target {
            Target::Cloudformation => Output::CloudFormation,
            Target::Terraform => Output::Terraform,
            Target::CreateTable => Output::CreateTable,
            Target::Rust => Output::Rust,
            Target::Typescript => Output::TypeScript,
            Target::Python => Output::Python,
        }
    }
}
