//! TLS from PEM files.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod http_support;

use dynamometer_server::http::TlsConfig;
use http_support::{Client, Server, impatient, post};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::net::TcpStream;

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/http_tls_files").join(name)
}

fn tls(certificate: &Path, key: &Path) -> Result<TlsConfig, String> {
    TlsConfig::from_pem_files(certificate, key).map_err(|problem| problem.to_string())
}

#[tokio::test]
async fn serves_http_1_1_over_tls_and_ends_slow_handshakes() {
    let server = Server::start(|config| {
        config.tls = Some(tls(&file("cert.pem"), &file("key.pem")).unwrap());
        config.timeouts = impatient();
    });
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(file("cert.pem")).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut client = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    client.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let connector = tokio_rustls::TlsConnector::from(Arc::new(client));
    let socket = TcpStream::connect(server.address).await.unwrap();
    let stream = connector.connect(ServerName::try_from("localhost").unwrap(), socket).await.unwrap();
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"http/1.1"[..]));

    let mut client = Client::new(stream);
    for body in ["{}".to_owned(), " ".repeat(100_000) + "{}"] {
        client.send(post("", &body)).await;
        let answer = client.answer().await;
        answer.check_envelope("over TLS");
        assert_eq!(answer.json()["body_bytes"], body.len());
    }
    server.connect().await.until_closed().await;
    let mut plain = server.connect().await;
    plain.send(post("", "{}")).await;
    assert!(plain.try_answer().await.is_none(), "plain HTTP on a TLS port");
}

#[test]
fn files_that_will_not_do_are_named() {
    let (cert, key, other) = (file("cert.pem"), file("key.pem"), file("other-key.pem"));
    let absent = PathBuf::from("/nonexistent/x.pem");
    let cases: [(&Path, &Path, String); 5] = [
        (&absent, &key, "cannot read /nonexistent/x.pem: ".into()),
        (&cert, &absent, "cannot read /nonexistent/x.pem: ".into()),
        (&key, &key, format!("{} holds no certificate; expected PEM", key.display())),
        (&cert, &cert, format!("{} holds no private key; expected PEM", cert.display())),
        (&cert, &other, format!("the certificate {} and the key {} cannot", cert.display(), other.display())),
    ];
    for (certificate, key, expected) in cases {
        let problem = tls(certificate, key).err().expect("a mistake that was not seen");
        assert!(problem.starts_with(&expected), "{problem}");
    }
}
