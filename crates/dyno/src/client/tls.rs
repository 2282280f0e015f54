//! TLS: Mozilla's roots, and those that `AWS_CA_BUNDLE` adds.

use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use tokio_rustls::TlsConnector;

use crate::problem::Problem;

pub(super) fn connector() -> Result<TlsConnector, Problem> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    if let Some(file) = std::env::var_os("AWS_CA_BUNDLE").filter(|file| !file.is_empty()) {
        let wrong = |error: &dyn std::fmt::Display| {
            Problem::wrong(format!("AWS_CA_BUNDLE: {}: {error}", file.display()))
        };
        for certificate in CertificateDer::pem_file_iter(&file).map_err(|error| wrong(&error))? {
            let certificate = certificate.map_err(|error| wrong(&error))?;
            roots.add(certificate).map_err(|error| wrong(&error))?;
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(Problem::failed)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
}
