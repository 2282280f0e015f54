//! Whom to trust over https: Mozilla's roots, and those of a file.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use tokio_rustls::TlsConnector;

/// Why nobody can be trusted.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// The file of certificates cannot be read, or holds something else.
    #[error("AWS_CA_BUNDLE: {}: {problem}", file.display())]
    Bundle {
        /// The path as it was given.
        file: PathBuf,
        /// What the system or the PEM reader says.
        problem: String,
    },
    /// The TLS library cannot be set up.
    #[error("TLS cannot be used: {0}")]
    Library(#[from] rustls::Error),
}

/// A client's side of TLS that trusts Mozilla's roots, and the certificates of a PEM file if there is one.
///
/// # Errors
/// See [`TrustError`].
pub fn connector(ca_bundle: Option<&Path>) -> Result<TlsConnector, TrustError> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    if let Some(file) = ca_bundle {
        let wrong = |error: &dyn std::fmt::Display| TrustError::Bundle {
            file: file.to_owned(),
            problem: error.to_string(),
        };
        for certificate in CertificateDer::pem_file_iter(file).map_err(|error| wrong(&error))? {
            let certificate = certificate.map_err(|error| wrong(&error))?;
            roots.add(certificate).map_err(|error| wrong(&error))?;
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
}
