//! Where a server is.

use std::fmt;
use std::net::IpAddr;

use super::Service;

/// An endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// AWS: each service of a region has a host.
    Aws,
    /// One host for all services.
    At {
        /// Whether it speaks TLS.
        is_tls: bool,
        /// The host, without brackets.
        host: String,
        /// The port.
        port: u16,
    },
}

impl Endpoint {
    /// Reads `aws`, `http://host:port` or `https://host:port`. Without a scheme it is http; without a port it is 8000, or 443
    /// for https.
    pub fn read(text: &str) -> Result<Endpoint, String> {
        if text == "aws" {
            return Ok(Endpoint::Aws);
        }
        let wrong = || format!("`{text}` is no endpoint: write it as http://127.0.0.1:8000, or aws");
        let (is_tls, rest) = match text.split_once("://") {
            Some(("http", rest)) => (false, rest),
            Some(("https", rest)) => (true, rest),
            Some(_) => return Err(wrong()),
            None => (false, text),
        };
        let authority = rest.trim_end_matches('/');
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => (host, port.parse().map_err(|_| wrong())?),
            _ => (authority, if is_tls { 443 } else { 8000 }),
        };
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let is_bracketed = host.starts_with('[') && host.ends_with(']');
        if bare.is_empty()
            || bare.contains(['/', ' ', '?', '@', '[', ']'])
            || bare.contains(':') != is_bracketed
        {
            return Err(wrong());
        }
        Ok(Endpoint::At { is_tls, host: bare.to_owned(), port })
    }

    /// Whether calls go over TLS.
    pub fn is_tls(&self) -> bool {
        match self {
            Endpoint::Aws => true,
            Endpoint::At { is_tls, .. } => *is_tls,
        }
    }

    /// Whether the endpoint is on this machine.
    pub fn is_loopback(&self) -> bool {
        match self {
            Endpoint::Aws => false,
            Endpoint::At { host, .. } => {
                host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
            }
        }
    }

    /// The host and the port of a service.
    pub(super) fn address(&self, service: Service, region: &str) -> (String, u16) {
        match self {
            Endpoint::At { host, port, .. } => (host.clone(), *port),
            Endpoint::Aws => {
                let suffix = if region.starts_with("cn-") { "amazonaws.com.cn" } else { "amazonaws.com" };
                (format!("{}.{region}.{suffix}", service.signing_name()), 443)
            }
        }
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Endpoint::Aws => f.write_str("AWS"),
            Endpoint::At { is_tls, host, port } => {
                let scheme = if *is_tls { "https" } else { "http" };
                write!(f, "{scheme}://{}:{port}", bracketed(host))
            }
        }
    }
}

/// An address of IPv6 stands in brackets.
pub(super) fn bracketed(host: &str) -> String {
    if host.contains(':') { format!("[{host}]") } else { host.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_are_read_or_explained() {
        for (text, shown, is_loopback) in [
            ("http://127.0.0.1:8000", "http://127.0.0.1:8000", true),
            ("http://127.0.0.1:8000/", "http://127.0.0.1:8000", true),
            ("localhost", "http://localhost:8000", true),
            ("http://[::1]:9000", "http://[::1]:9000", true),
            ("http://[::1]", "http://[::1]:8000", true),
            ("https://dynamo.example", "https://dynamo.example:443", false),
            ("10.0.0.1:8000", "http://10.0.0.1:8000", false),
            ("aws", "AWS", false),
        ] {
            let endpoint = Endpoint::read(text).unwrap();
            assert_eq!((endpoint.to_string(), endpoint.is_loopback()), (shown.to_owned(), is_loopback));
        }
        for text in
            ["", "http://", "ftp://x:1", "http://a/b", "not an endpoint", "http://a:b", "::1", "http://u@h"]
        {
            assert!(Endpoint::read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn aws_has_a_host_for_each_service_and_region() {
        for (service, region, host) in [
            (Service::DynamoDb, "eu-west-1", "dynamodb.eu-west-1.amazonaws.com"),
            (Service::AutoScaling, "cn-north-1", "application-autoscaling.cn-north-1.amazonaws.com.cn"),
        ] {
            assert_eq!(Endpoint::Aws.address(service, region), (host.to_owned(), 443));
        }
    }
}
