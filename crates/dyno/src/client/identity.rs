//! Whose key signs, and for which region: the environment, then the files that AWS's tools share.

use std::path::{Path, PathBuf};

use dynamometer_server::auth::{Credential, CredentialsError, Profile, read_profiles};

use super::{ClientArgs, Endpoint};
use crate::problem::Problem;

pub(super) struct Identity {
    pub(super) credential: Credential,
    pub(super) region: String,
}

/// Finds the key and the region. A server that is no AWS needs neither: any signature will do unless it runs with `--auth`.
pub(super) fn find(args: &ClientArgs, endpoint: &Endpoint) -> Result<Identity, Problem> {
    let is_aws = *endpoint == Endpoint::Aws;
    // A profile of the shell's is meant for AWS; a server of one's own can do without it.
    let of_shell = variable("AWS_PROFILE").filter(|_| is_aws);
    let profile = args.profile.clone().or(of_shell);
    let credential = match from_environment() {
        Some(credential) => Some(credential),
        None => from_profile(profile.as_deref())?,
    };
    let credential = match credential {
        Some(credential) => credential,
        None if is_aws => {
            return Err(Problem::wrong("there is no key to sign calls to AWS with").hint(
                "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a --profile of ~/.aws/credentials",
            ));
        }
        None => key("local".into(), "local".into(), None),
    };
    let region =
        args.region.clone().or_else(|| variable("AWS_REGION")).or_else(|| variable("AWS_DEFAULT_REGION"));
    let region = match region {
        Some(region) => Some(region),
        None => region_of_profile(profile.as_deref())?,
    };
    match region {
        Some(region) if is_region(&region) => Ok(Identity { credential, region }),
        Some(region) => Err(Problem::wrong(format!("`{region}` is no region: write it as us-east-1"))),
        None if is_aws => {
            Err(Problem::wrong("there is no region to call on AWS")
                .hint("--region us-east-1, or set AWS_REGION"))
        }
        None => Ok(Identity { credential, region: "us-east-1".into() }),
    }
}

/// A region is a part of host names and signatures.
fn is_region(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

fn key(access_key_id: String, secret_access_key: String, session_token: Option<String>) -> Credential {
    Credential { access_key_id, secret_access_key, session_token, expires_at_s: None }
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

fn from_environment() -> Option<Credential> {
    let id = variable("AWS_ACCESS_KEY_ID")?;
    Some(key(id, variable("AWS_SECRET_ACCESS_KEY")?, variable("AWS_SESSION_TOKEN")))
}

/// The key of a profile; `None` when none is named and there is no default one.
fn from_profile(name: Option<&str>) -> Result<Option<Credential>, Problem> {
    let Some(file) = shared_file("AWS_SHARED_CREDENTIALS_FILE", "credentials") else { return Ok(None) };
    let wanted = name.unwrap_or("default");
    let profiles = match profiles(&file)? {
        Some(profiles) => profiles,
        None if name.is_none() => return Ok(None),
        None => {
            return Err(Problem::wrong(format!("there is no {} with the profile {wanted}", file.display())));
        }
    };
    let found = profiles.iter().find(|profile| profile.name == wanted);
    let credential = match found {
        Some(profile) => profile.credential(&file).map_err(Problem::wrong)?,
        None => None,
    };
    match (credential, name) {
        (None, Some(name)) => Err(Problem::wrong(format!("{} has no key for the profile {name}", file.display()))
            .hint("profiles without a key of their own (single sign-on, roles) come in by the environment: aws configure export-credentials --format env")),
        (credential, _) => Ok(credential),
    }
}

fn region_of_profile(name: Option<&str>) -> Result<Option<String>, Problem> {
    let Some(file) = shared_file("AWS_CONFIG_FILE", "config") else { return Ok(None) };
    let wanted = name.unwrap_or("default");
    let profiles = profiles(&file)?.unwrap_or_default();
    let profile = profiles.iter().find(|profile| {
        profile.name.strip_prefix("profile ").map_or(profile.name.as_str(), str::trim) == wanted
    });
    Ok(profile.and_then(|profile| profile.setting("region")).map(str::to_owned))
}

fn shared_file(variable_name: &str, name: &str) -> Option<PathBuf> {
    match variable(variable_name) {
        Some(file) => Some(file.into()),
        None => {
            Some(Path::new(&variable("HOME").or_else(|| variable("USERPROFILE"))?).join(".aws").join(name))
        }
    }
}

/// The profiles of a file; `None` when there is none.
fn profiles(file: &Path) -> Result<Option<Vec<Profile>>, Problem> {
    match std::fs::read_to_string(file) {
        Ok(text) => read_profiles(file, &text).map(Some).map_err(Problem::wrong),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(Problem::wrong(CredentialsError::Unreadable { file: file.into(), source })),
    }
}
