//! The client of the command line: signed calls to a running server, or to AWS.
//!
//! HTTP/1.1 on connections that are kept, over TLS where the endpoint says so. Every call is signed (SigV4); a server without
//! `--auth` accepts any signature. Certificates are checked against Mozilla's roots and those of `AWS_CA_BUNDLE`.

mod call;
mod connection;
mod endpoint;
mod identity;

use std::future::Future;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use dynamometer_server::auth::Credential;
use dynamometer_server::trust;

use crate::problem::Problem;
pub use call::{CallError, Service};
use connection::Connection;
pub use endpoint::Endpoint;
use identity::Identity;

/// Where to send calls, and as whom.
#[derive(Clone, Debug, Args)]
pub struct ClientArgs {
    /// Where the server is; `aws` is AWS itself.
    #[arg(
        long,
        env = "AWS_ENDPOINT_URL_DYNAMODB",
        value_name = "URL",
        default_value = "http://127.0.0.1:8000"
    )]
    pub endpoint: String,
    /// The region of signatures and ARNs; else AWS_REGION, the profile's, or us-east-1.
    #[arg(long, value_name = "REGION")]
    pub region: Option<String>,
    /// The profile of ~/.aws/credentials whose key signs, when the environment has none; else AWS_PROFILE, or default.
    #[arg(long, value_name = "NAME")]
    pub profile: Option<String>,
}

impl ClientArgs {
    /// The arguments of a command that is only told where the server is.
    pub fn of(endpoint: &str) -> ClientArgs {
        ClientArgs { endpoint: endpoint.to_owned(), region: None, profile: None }
    }
}

/// A client of one endpoint.
pub struct Client {
    endpoint: Endpoint,
    region: String,
    credential: Credential,
    tls: Option<tokio_rustls::TlsConnector>,
    /// Connections that are waiting for their next request.
    idle: Mutex<Vec<Connection>>,
}

impl Client {
    /// A client for what the command line says.
    ///
    /// # Errors
    /// An endpoint, a key, a region or a certificate that cannot be used, with what to do.
    pub fn new(args: &ClientArgs) -> Result<Client, Problem> {
        let endpoint = Endpoint::read(&args.endpoint).map_err(Problem::wrong)?;
        let Identity { credential, region } = identity::find(args, &endpoint)?;
        let tls = endpoint.is_tls().then(|| trust::connector(ca_bundle().as_deref()));
        let tls = tls.transpose().map_err(Problem::wrong)?;
        Ok(Client { endpoint, region, credential, tls, idle: Mutex::default() })
    }

    /// Where calls go.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// A call that failed, for people, with what to do where that is known.
    pub fn problem(&self, operation: &str, error: &CallError) -> Problem {
        match error {
            CallError::Silent { .. } if self.endpoint.is_loopback() => {
                Problem::failed(error).hint("start one with dyno, or name another with --endpoint")
            }
            CallError::Silent { .. } => Problem::failed(error),
            CallError::Refused { .. } => Problem::failed(format!("{operation}: {error}")),
        }
    }

    /// The region of signatures.
    pub fn region(&self) -> &str {
        &self.region
    }
}

/// Runs what a command does until it is done.
///
/// # Errors
/// As the work itself.
pub fn run<T>(work: impl Future<Output = Result<T, Problem>>) -> Result<T, Problem> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(Problem::failed)?;
    runtime.block_on(work)
}

/// The file of certificates that are trusted beside Mozilla's: `AWS_CA_BUNDLE`, as the SDKs have it.
pub fn ca_bundle() -> Option<PathBuf> {
    std::env::var_os("AWS_CA_BUNDLE").filter(|file| !file.is_empty()).map(PathBuf::from)
}

/// The time in seconds since 1970.
fn now_s() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |passed| passed.as_secs() as i64)
}
