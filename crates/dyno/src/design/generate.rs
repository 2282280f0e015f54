//! `dyno design generate`.

use std::path::Path;
use std::process::ExitCode;

use dynamometer_design::generate::{File, GenerateError, Output, generate as write};
use dynamometer_design::{Severity, check};

use super::{Done, GenerateArgs, Target, load};
use crate::cost::PriceArgs;
use crate::files::why_not_written;
use crate::problem::Problem;

/// Writes what was asked for; a single file is printed when no folder is named.
pub(super) fn generate(args: &GenerateArgs) -> Done {
    let (files, errors) = files(&args.file, args.format.into())?;
    if errors > 0 {
        eprintln!("note: the check finds {}: dyno design check {}", counted(errors), args.file.display());
    }
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

/// The CloudFormation template of a design.
///
/// # Errors
/// What is wrong in the file, and errors that the check finds, unless it may be `despite_errors`.
pub(crate) fn template(file: &Path, despite_errors: bool) -> Result<String, Problem> {
    let (files, errors) = files(file, Output::CloudFormation)?;
    let name = file.display();
    match errors {
        0 => {}
        _ if despite_errors => {
            eprintln!("note: the check finds {}: dyno design check {name}", counted(errors));
        }
        _ => {
            let sentence = format!("{name} is not deployed: the check finds {} in it", counted(errors));
            let hint = format!(
                "dyno design check {name} shows what is wrong; --despite-errors deploys it all the same"
            );
            return Err(Problem::failed(sentence).hint(hint));
        }
    }
    Ok(files.into_iter().map(|file| file.text).collect())
}

/// What is written of a design, and how many errors the check finds in it.
fn files(file: &Path, output: Output) -> Result<(Vec<File>, usize), Problem> {
    let loaded = load(file)?;
    let prices = PriceArgs::default();
    let (table, region) = (prices.table()?, prices.region_of(&loaded.design));
    let prices = table.region(region).map_err(Problem::wrong)?;
    let checked = check(&loaded.design, &prices);
    let source = file.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned());
    let files = write(&loaded.design, &checked.load, &source, output).map_err(|error| match &error {
        GenerateError::Name { .. } => Problem::wrong(&error).hint("rename it in the design"),
        GenerateError::NoEntities => Problem::wrong(&error).hint("add `entities`: docs/design-file.md"),
    })?;
    Ok((files, checked.count(Severity::Error)))
}

fn counted(errors: usize) -> String {
    if errors == 1 { "an error".to_owned() } else { format!("{errors} errors") }
}

/// Writes files into a folder, over those of an earlier time.
fn put(folder: &Path, files: &[File]) -> Result<(), Problem> {
    let failed = |path: &Path, error| {
        Problem::failed(format!("{} cannot be written: {}", path.display(), why_not_written(&error)))
    };
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
