//! TLS from two PEM files.

use rustls::ServerConfig;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A certificate and its key, ready to serve HTTP/1.1 over TLS 1.2 and 1.3.
#[derive(Clone)]
pub struct TlsConfig {
    server: Arc<ServerConfig>,
}

/// Why TLS cannot be served. Its text names the file.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read, or is not PEM.
    #[error("cannot read {}: {problem}", file.display())]
    Unreadable {
        /// The path as it was given.
        file: PathBuf,
        /// What the system or the PEM reader says.
        problem: String,
    },
    /// There is no certificate in the file of certificates.
    #[error("{} holds no certificate; expected PEM with `-----BEGIN CERTIFICATE-----`", file.display())]
    NoCertificate {
        /// The path as it was given.
        file: PathBuf,
    },
    /// There is no private key in the file of the key.
    #[error(
        "{} holds no private key; expected PEM with `-----BEGIN PRIVATE KEY-----`, not encrypted",
        file.display()
    )]
    NoKey {
        /// The path as it was given.
        file: PathBuf,
    },
    /// The two do not belong together, or the key is of a kind that is not known.
    #[error("the certificate {} and the key {} cannot be used together: {problem}", certificate.display(), key.display())]
    Mismatch {
        /// The path as it was given.
        certificate: PathBuf,
        /// The path as it was given.
        key: PathBuf,
        /// What the TLS library says.
        problem: String,
    },
}

impl TlsConfig {
    /// Reads the certificate chain (the server's own first) and the private key.
    ///
    /// # Errors
    /// See [`TlsError`].
    pub fn from_pem_files(certificate: &Path, key: &Path) -> Result<TlsConfig, TlsError> {
        let chain = read_certificates(certificate)?;
        let private_key = PrivateKeyDer::from_pem_file(key).map_err(|problem| match problem {
            pem::Error::NoItemsFound => TlsError::NoKey { file: key.into() },
            other => unreadable(key, &other),
        })?;
        let mismatch = |problem: rustls::Error| TlsError::Mismatch {
            certificate: certificate.into(),
            key: key.into(),
            problem: problem.to_string(),
        };
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut server = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(mismatch)?
            .with_no_client_auth()
            .with_single_cert(chain, private_key)
            .map_err(mismatch)?;
        server.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(TlsConfig { server: Arc::new(server) })
    }

    pub(super) fn acceptor(&self) -> tokio_rustls::TlsAcceptor {
        tokio_rustls::TlsAcceptor::from(self.server.clone())
    }
}

fn read_certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let chain: Vec<_> = CertificateDer::pem_file_iter(file)
        .and_then(|certificates| certificates.collect())
        .map_err(|problem| unreadable(file, &problem))?;
    if chain.is_empty() { Err(TlsError::NoCertificate { file: file.into() }) } else { Ok(chain) }
}

fn unreadable(file: &Path, problem: &pem::Error) -> TlsError {
    let problem = match problem {
        pem::Error::Io(problem) => problem.to_string(),
        other => other.to_string(),
    };
    TlsError::Unreadable { file: file.into(), problem }
}
