//! A web page must not reach a local server.
//!
//! Every page that a developer visits can send requests to `127.0.0.1:8000`. Three ways are closed here, for requests
//! that carry the marks of a browser; SDKs and tools carry none and are never refused, whatever name they use
//! (`dynamodb-local`, `host.docker.internal`):
//!
//! - a page of another origin: `Origin` names it;
//! - a page of another site that loads without `Origin` (images, scripts, frames): `Sec-Fetch-Site` tells;
//! - a page of a foreign name that was made to resolve to this machine (DNS rebinding), for which all of this is
//!   "same origin": on a loopback connection the `Host` must be `localhost`, an IP address, or an allowed name.
//!
//! `HttpConfig::allow_origins` opens the door, and only then CORS headers are sent.

use super::answers;
use super::config::HttpConfig;
use super::message::{NO_CONTENT_TYPE, Response};
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use std::net::IpAddr;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const SEC_FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
const SEC_FETCH_DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");
const ALLOW_PRIVATE_NETWORK: HeaderName = HeaderName::from_static("access-control-allow-private-network");
const REQUEST_PRIVATE_NETWORK: HeaderName = HeaderName::from_static("access-control-request-private-network");

/// The headers of AWS's answers that a page may read.
const EXPOSED: &str =
    "x-amzn-RequestId,x-amzn-ErrorType,x-amz-request-id,x-amz-id-2,x-amzn-ErrorMessage,x-amz-crc32,Date";
const PREFLIGHT_MAX_AGE_S: &str = "172800";

/// Where a connection comes in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entrance {
    /// The connection's own end is a loopback address.
    pub(super) is_loopback: bool,
    /// It speaks TLS.
    pub(super) is_tls: bool,
}

/// The value of `Access-Control-Allow-Origin` for an allowed page of another origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cors(HeaderValue);

/// Reads a web origin as `--allow-origin` takes it: `scheme://host[:port]`, `null` (pages from files and sandboxes), or
/// `*` for every page.
///
/// # Errors
/// A sentence that says what is expected.
pub fn parse_origin(text: &str) -> Result<String, String> {
    let origin = text.trim().trim_end_matches('/');
    let is_origin = || {
        let (scheme, host) = origin.split_once("://")?;
        let host_ok = !host.is_empty() && !host.contains(['/', '?', '#', '@', ' ', '*']);
        (!scheme.is_empty() && host_ok).then_some(())
    };
    if matches!(origin, "*" | "null") || is_origin().is_some() {
        return Ok(origin.to_owned());
    }
    Err(format!("`{text}` is not a web origin; expected scheme and host such as http://localhost:3000, or *"))
}

/// Lets a request pass, with the CORS answer that it is due, or refuses it.
///
/// # Errors
/// The 403 answer; its message names `--allow-origin`.
pub(super) fn check_browser(
    method: &Method,
    headers: &HeaderMap,
    entrance: Entrance,
    config: &HttpConfig,
) -> Result<Option<Cors>, Response> {
    let origin = headers.get(header::ORIGIN);
    let site = headers.get(SEC_FETCH_SITE);
    // A page that was reached by DNS rebinding sends neither with a GET, but no browser omits its languages.
    let is_page = is_read(method) && headers.contains_key(header::ACCEPT_LANGUAGE);
    if origin.is_none() && site.is_none() && !is_page {
        return Ok(None);
    }
    if config.allow_origins.iter().any(|allowed| allowed == "*") {
        return Ok(origin.map(|_| Cors(HeaderValue::from_static("*"))));
    }
    if let Some(origin) = origin {
        let text = origin.to_str().unwrap_or("");
        if config.allow_origins.iter().any(|allowed| allowed.trim_end_matches('/').eq_ignore_ascii_case(text))
        {
            return Ok(Some(Cors(origin.clone())));
        }
    }
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("");
    check_host(host, entrance, config)?;
    match origin {
        Some(origin) if is_same_origin(origin, host, entrance.is_tls) => Ok(None),
        Some(origin) => {
            let origin = String::from_utf8_lossy(origin.as_bytes());
            Err(answers::browser_refused(&format!(
                "A web page of the origin '{origin}' may not call this server. \
                 To allow it, start the server with --allow-origin {origin}"
            )))
        }
        None if site.is_none_or(|site| may_come_without_origin(method, site, headers)) => Ok(None),
        None => Err(answers::browser_refused(
            "A web page of another site may not load from this server. \
             To allow every page, start the server with --allow-origin '*'",
        )),
    }
}

/// On the loopback interface, a name that is neither local nor allowed may be a foreign site's.
fn check_host(host: &str, entrance: Entrance, config: &HttpConfig) -> Result<(), Response> {
    let name = host_name(host);
    let is_local = name.eq_ignore_ascii_case("localhost")
        || name.to_ascii_lowercase().ends_with(".localhost")
        || name.trim_matches(['[', ']']).parse::<IpAddr>().is_ok();
    let is_allowed = || {
        let allowed_origins = config.allow_origins.iter().filter_map(|origin| origin.split_once("://"));
        let mut allowed =
            config.allow_hosts.iter().map(String::as_str).chain(allowed_origins.map(|(_, host)| host));
        allowed.any(|allowed| host_name(allowed.trim_end_matches('/')).eq_ignore_ascii_case(name))
    };
    if !entrance.is_loopback || is_local || is_allowed() {
        return Ok(());
    }
    let scheme = if entrance.is_tls { "https" } else { "http" };
    Err(answers::browser_refused(&format!(
        "A browser reached this server under the name '{name}', which may be a foreign web site's. \
         Use localhost, or start the server with --allow-origin {scheme}://{host}"
    )))
}

/// Without `Origin`, the page is this server's own, or nobody's (an address typed in), or it is a link that was
/// followed, which shows a page but tells the linking one nothing. A form that is sent is no link.
fn may_come_without_origin(method: &Method, site: &HeaderValue, headers: &HeaderMap) -> bool {
    let is = |name: &HeaderName, value: &str| headers.get(name).is_some_and(|found| found == value);
    matches!(site.as_bytes(), b"same-origin" | b"none")
        || is_read(method) && is(&SEC_FETCH_MODE, "navigate") && is(&SEC_FETCH_DEST, "document")
}

fn is_read(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD)
}

/// The host without its port; an IPv6 address keeps its brackets.
fn host_name(host: &str) -> &str {
    if host.starts_with('[') {
        return host.find(']').map_or(host, |end| &host[..=end]);
    }
    host.split(':').next().unwrap_or(host)
}

/// Whether an origin is that of the server, as the `Host` header names it: same scheme, host and port.
fn is_same_origin(origin: &HeaderValue, host: &str, is_tls: bool) -> bool {
    let (scheme, default_port) = if is_tls { ("https", ":443") } else { ("http", ":80") };
    let Some((origin_scheme, origin_host)) = origin.to_str().ok().and_then(|origin| origin.split_once("://"))
    else {
        return false;
    };
    let plain = |host: &str| host.strip_suffix(default_port).unwrap_or(host).to_ascii_lowercase();
    origin_scheme.eq_ignore_ascii_case(scheme) && !host.is_empty() && plain(origin_host) == plain(host)
}

impl Cors {
    /// Adds what an allowed page needs to read the answer.
    pub(super) fn add_to(self, headers: &mut HeaderMap) {
        if self.0 != "*" {
            headers.append(header::VARY, HeaderValue::from_static("Origin"));
        }
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, self.0);
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
    }
}

/// The answer to `OPTIONS` with an origin that is allowed: whatever it asks for.
pub(super) fn preflight(headers: &HeaderMap) -> Response {
    let mut response = Response::new(StatusCode::OK, NO_CONTENT_TYPE, Bytes::new());
    let echoes = [
        (header::ACCESS_CONTROL_REQUEST_HEADERS, header::ACCESS_CONTROL_ALLOW_HEADERS),
        (header::ACCESS_CONTROL_REQUEST_METHOD, header::ACCESS_CONTROL_ALLOW_METHODS),
        (REQUEST_PRIVATE_NETWORK, ALLOW_PRIVATE_NETWORK),
    ];
    for (asked, answered) in echoes {
        if let Some(value) = headers.get(asked) {
            response.headers.push((answered, value.clone()));
        }
    }
    response.headers.push((header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static(PREFLIGHT_MAX_AGE_S)));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCAL: Entrance = Entrance { is_loopback: true, is_tls: false };
    const LOCAL_TLS: Entrance = Entrance { is_loopback: true, is_tls: true };
    const REMOTE: Entrance = Entrance { is_loopback: false, is_tls: false };

    /// `passes`, `refused`, or the allowed origin.
    fn verdict(
        method: Method,
        lines: &[(&'static str, &'static str)],
        entrance: Entrance,
        allowed: &[&str],
    ) -> String {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.insert(*name, HeaderValue::from_static(value));
        }
        let mut config = HttpConfig::new("us-east-1");
        config.allow_origins = allowed.iter().map(|origin| (*origin).to_owned()).collect();
        config.allow_hosts = vec!["dyno.test".into()];
        match check_browser(&method, &headers, entrance, &config) {
            Ok(None) => "passes".into(),
            Ok(Some(Cors(origin))) => origin.to_str().unwrap().into(),
            Err(response) => {
                let text = String::from_utf8_lossy(&response.body);
                assert!(response.status == 403 && text.contains("--allow-origin"), "{text}");
                "refused".into()
            }
        }
    }

    #[test]
    fn origins_are_scheme_and_host() {
        for (text, expected) in [
            ("http://localhost:3000", Some("http://localhost:3000")),
            (" https://app.example/ ", Some("https://app.example")),
            ("chrome-extension://abc", Some("chrome-extension://abc")),
            ("*", Some("*")),
            ("null", Some("null")),
            ("localhost:3000", None),
            ("http://", None),
            ("http://a/b", None),
            ("http://*.example", None),
            ("", None),
        ] {
            assert_eq!(parse_origin(text).ok().as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn clients_that_are_no_browsers_use_any_name() {
        for host in ["localhost:8000", "dynamodb-local:8000", "host.docker.internal:8000", "evil.example", ""]
        {
            assert_eq!(verdict(Method::POST, &[("host", host)], LOCAL, &[]), "passes", "{host}");
            assert_eq!(verdict(Method::GET, &[("host", host)], LOCAL, &[]), "passes", "{host}");
        }
        // Node's fetch marks its requests so.
        let node = [("host", "dynamodb-local:8000"), ("sec-fetch-mode", "cors"), ("accept-language", "*")];
        assert_eq!(verdict(Method::POST, &node, LOCAL, &[]), "passes");
    }

    #[test]
    fn an_origin_must_be_the_servers_own_or_allowed() {
        let cases: &[(&str, &str, Entrance, &[&str], &str)] = &[
            ("http://localhost:8000", "localhost:8000", LOCAL, &[], "passes"),
            ("http://LOCALHOST:8000", "localhost:8000", LOCAL, &[], "passes"),
            ("http://[::1]:8000", "[::1]:8000", LOCAL, &[], "passes"),
            ("http://localhost", "localhost:80", LOCAL, &[], "passes"),
            ("https://localhost", "localhost:443", LOCAL_TLS, &[], "passes"),
            ("https://localhost:8000", "localhost:8000", LOCAL, &[], "refused"),
            ("http://localhost:3000", "localhost:8000", LOCAL, &[], "refused"),
            ("http://127.0.0.1:8000", "localhost:8000", LOCAL, &[], "refused"),
            ("https://evil.example", "localhost:8000", LOCAL, &[], "refused"),
            ("null", "localhost:8000", LOCAL, &[], "refused"),
            ("https://evil.example", "localhost:8000", LOCAL, &["https://good.example"], "refused"),
            (
                "https://good.example",
                "localhost:8000",
                LOCAL,
                &["https://good.example/"],
                "https://good.example",
            ),
            ("https://any.example", "localhost:8000", LOCAL, &["*"], "*"),
            ("null", "localhost:8000", LOCAL, &["null"], "null"),
            ("http://10.0.0.9:8000", "10.0.0.9:8000", REMOTE, &[], "passes"),
            ("http://evil.example", "10.0.0.9:8000", REMOTE, &[], "refused"),
        ];
        for (origin, host, entrance, allowed, expected) in cases {
            let lines = [("origin", *origin), ("host", *host)];
            assert_eq!(
                verdict(Method::POST, &lines, *entrance, allowed),
                *expected,
                "{origin} {host} {allowed:?}"
            );
        }
    }

    #[test]
    fn a_foreign_name_that_resolves_to_this_machine_is_refused() {
        let rebound = [("origin", "http://evil.example:8000"), ("host", "evil.example:8000")];
        assert_eq!(verdict(Method::POST, &rebound, LOCAL, &[]), "refused");
        assert_eq!(
            verdict(Method::POST, &rebound, REMOTE, &[]),
            "passes",
            "a server in a network has a name"
        );
        let get = [("host", "evil.example:8000"), ("accept-language", "en")];
        assert_eq!(verdict(Method::GET, &get, LOCAL, &[]), "refused");
        for host in ["app.localhost:8000", "127.0.0.1:8000", "[::1]:8000", "DYNO.test:8000", "other.test:1"] {
            let get = [("host", host), ("accept-language", "en")];
            assert_eq!(verdict(Method::GET, &get, LOCAL, &["http://other.test:1"]), "passes", "{host}");
        }
    }

    #[test]
    fn loads_without_an_origin_only_by_own_pages_and_people() {
        for (site, mode, dest, expected) in [
            ("none", "navigate", "document", "passes"),
            ("same-origin", "cors", "empty", "passes"),
            ("cross-site", "navigate", "document", "passes"),
            ("cross-site", "navigate", "iframe", "refused"),
            ("cross-site", "no-cors", "image", "refused"),
            ("same-site", "no-cors", "script", "refused"),
        ] {
            let lines = [
                ("host", "localhost:8000"),
                ("sec-fetch-site", site),
                ("sec-fetch-mode", mode),
                ("sec-fetch-dest", dest),
            ];
            assert_eq!(verdict(Method::GET, &lines, LOCAL, &[]), expected, "{site} {mode} {dest}");
        }
        let form = [
            ("host", "localhost:8000"),
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-mode", "navigate"),
            ("sec-fetch-dest", "document"),
        ];
        assert_eq!(verdict(Method::POST, &form, LOCAL, &[]), "refused", "a form of another site");
    }
}
