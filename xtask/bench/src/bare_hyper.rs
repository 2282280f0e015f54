//! A bare HTTP server: it reads each request whole and gives always the same answer.
//!
//! It is what the benchmark compares with: the same runtime (tokio with a thread for each core),
//! the same allocator and the same HTTP library as the product, and nothing else. What the product
//! costs above this is the price of being a database.
//!
//! `bare-hyper ANSWER-FILE`: the file holds the head of an answer as it was captured, an empty
//! line, and its body. The port is picked and printed.

use std::convert::Infallible;
use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What is answered to everything.
struct Answer {
    headers: HeaderMap,
    body: Bytes,
}

#[allow(clippy::print_stdout, reason = "the address is this program's output")]
fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1).ok_or("name the file that holds the answer")?;
    let answer = Arc::new(parse(&std::fs::read(file)?)?);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await?;
        println!("bare hyper   DynamoDB on http://{}", listener.local_addr()?);
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            let answer = Arc::clone(&answer);
            tokio::spawn(async move {
                let service = service_fn(move |request| reply(request, Arc::clone(&answer)));
                // A client that goes away is no concern of a benchmark's.
                let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
            });
        }
    })
}

async fn reply(request: Request<Incoming>, answer: Arc<Answer>) -> Result<Response<Full<Bytes>>, Infallible> {
    // Collected as a database must, before it can read the JSON.
    let _whole = request.into_body().collect().await;
    let mut response = Response::new(Full::new(answer.body.clone()));
    *response.headers_mut() = answer.headers.clone();
    Ok(response)
}

/// Splits a captured answer; leaves out the headers that hyper writes itself.
fn parse(captured: &[u8]) -> Result<Answer, Box<dyn Error>> {
    let end = captured.windows(4).position(|four| four == b"\r\n\r\n").ok_or("the file has no empty line")?;
    let head = std::str::from_utf8(&captured[..end])?;
    let mut headers = HeaderMap::new();
    for line in head.lines().skip(1) {
        let (name, value) = line.split_once(':').ok_or("a header line has no colon")?;
        let name: HeaderName = name.trim().parse()?;
        if name != http::header::CONTENT_LENGTH
            && name != http::header::DATE
            && name != http::header::CONNECTION
        {
            headers.append(name, HeaderValue::from_str(value.trim())?);
        }
    }
    Ok(Answer { headers, body: Bytes::copy_from_slice(&captured[end + 4..]) })
}
