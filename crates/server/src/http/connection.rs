//! One connection: its socket, what all its requests share, and the task that ends it in time.

use super::body::Budget;
use super::browser::Entrance;
use super::config::HttpConfig;
use super::handle::handle;
use super::message::Service;
use super::request_id::RequestIds;
use super::serve::Registry;
use super::unsent::Unsent;
use super::watch::{Phase, Watch};
use crate::auth::CallerCache;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Instant;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

/// The most that hyper buffers for the head of a request. Twice the limits that are answered politely.
const READ_BUFFER_BYTES: usize = 64 << 10;

/// How far ahead the timer of a connection is set while nothing is waited for.
const KEEP_GOING_MS: u64 = 10_000;

/// What all connections of a server share.
pub(super) struct Shared<S> {
    pub(super) config: Arc<HttpConfig>,
    pub(super) service: Arc<S>,
    pub(super) budget: Budget,
    pub(super) unsent: Arc<Unsent>,
    pub(super) registry: Arc<Registry>,
    /// The start of the server; the zero of every [`Watch`].
    pub(super) epoch: Instant,
}

/// What the requests of one connection share. Nothing in here is touched by another thread at the same time.
pub(super) struct Connection<S> {
    pub(super) shared: Arc<Shared<S>>,
    pub(super) control: Arc<Control>,
    pub(super) peer: SocketAddr,
    pub(super) entrance: Entrance,
    pub(super) ids: RequestIds,
    pub(super) callers: Mutex<CallerCache>,
}

/// What the server knows of a running connection: where it stands, and the way to end it.
#[derive(Debug)]
pub(super) struct Control {
    pub(super) watch: Watch,
    order: AtomicU8,
    task: Mutex<Option<Waker>>,
}

/// What a connection is told to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Order {
    /// Go on.
    Serve = 0,
    /// Close as soon as no request is running.
    Finish = 1,
    /// Close now.
    Stop = 2,
}

/// How a connection's future came to its end.
enum End<T> {
    Done(T),
    TimedOut,
    Stopped,
}

impl Control {
    pub(super) fn new(watch: Watch) -> Control {
        Control { watch, order: AtomicU8::new(Order::Serve as u8), task: Mutex::new(None) }
    }

    /// Tells the connection what to do and wakes it up for that. Orders are never taken back.
    pub(super) fn order(&self, order: Order) {
        self.order.fetch_max(order as u8, Ordering::Release);
        if let Some(task) = self.task.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
            task.wake_by_ref();
        }
    }

    pub(super) fn current_order(&self) -> Order {
        match self.order.load(Ordering::Acquire) {
            0 => Order::Serve,
            1 => Order::Finish,
            _ => Order::Stop,
        }
    }
}

/// Serves one accepted socket until its end.
pub(super) async fn serve_connection<S: Service>(
    shared: Arc<Shared<S>>,
    control: Arc<Control>,
    socket: TcpStream,
    peer: SocketAddr,
    number: u64,
) {
    let is_loopback = socket.local_addr().is_ok_and(|local| local.ip().to_canonical().is_loopback());
    let tls = shared.config.tls.as_ref().map(super::tls::TlsConfig::acceptor);
    let connection = Arc::new(Connection {
        ids: RequestIds::new(shared.config.request_id_seed, number),
        shared,
        control: control.clone(),
        peer,
        entrance: Entrance { is_loopback, is_tls: tls.is_some() },
        callers: Mutex::default(),
    });
    let Some(acceptor) = tls else { return serve_stream(connection, socket).await };
    let handshake = drive(&control, pin!(acceptor.accept(socket)), |_| ()).await;
    match handshake {
        End::Done(Ok(stream)) => serve_stream(connection, stream).await,
        End::Done(Err(problem)) => {
            (connection.shared.config.log)(&format!("TLS handshake with {peer} failed: {problem}"));
        }
        End::TimedOut | End::Stopped => {}
    }
}

/// The service wants the connection closed without an answer.
#[derive(Debug, thiserror::Error)]
#[error("closed without an answer")]
struct HungUp;

async fn serve_stream<S: Service, T>(connection: Arc<Connection<S>>, stream: T)
where
    T: AsyncRead + AsyncWrite + Unpin,
{
    let control = connection.control.clone();
    let io = Watched { io: TokioIo::new(stream), control: control.clone(), is_stalled: false };
    let service = service_fn(move |request| {
        let connection = connection.clone();
        async move { handle(&connection, request).await.ok_or(HungUp) }
    });
    let served = http1::Builder::new()
        .max_buf_size(READ_BUFFER_BYTES)
        .header_read_timeout(None)
        .serve_connection(io, service);
    // How it ended is the client's affair: it went away, broke the protocol and was told, or waited too long.
    drive(&control, pin!(served), |served| served.graceful_shutdown()).await;
}

/// Polls a future of the connection to its end, unless the connection's deadline passes or it is ordered to stop.
/// `finish` is called once when it is ordered to finish.
async fn drive<F: Future>(
    control: &Control,
    mut future: Pin<&mut F>,
    finish: impl Fn(Pin<&mut F>),
) -> End<F::Output> {
    let watch = &control.watch;
    let mut armed_ms = watch.now_ms();
    let mut timer = pin!(tokio::time::sleep_until(watch.instant(armed_ms).into()));
    let mut is_registered = false;
    let mut is_finishing = false;
    poll_fn(move |cx| {
        if !is_registered {
            // A task has one waker for life.
            *control.task.lock().unwrap_or_else(PoisonError::into_inner) = Some(cx.waker().clone());
            is_registered = true;
        }
        match control.current_order() {
            Order::Serve => {}
            Order::Finish if is_finishing => {}
            Order::Finish => {
                is_finishing = true;
                finish(future.as_mut());
            }
            Order::Stop => return Poll::Ready(End::Stopped),
        }
        if let Poll::Ready(output) = future.as_mut().poll(cx) {
            return Poll::Ready(End::Done(output));
        }
        let now = watch.now_ms();
        let deadline = watch.deadline_ms(now);
        if deadline.is_some_and(|at| at <= now) {
            return Poll::Ready(End::TimedOut);
        }
        // While the service is at work, the timer is only kept going.
        let next = deadline.unwrap_or(now + KEEP_GOING_MS);
        // A timer that is armed for earlier than needed wakes us for nothing once, and is then set anew.
        if now >= armed_ms || next < armed_ms {
            armed_ms = next;
            timer.as_mut().reset(watch.instant(next).into());
            while timer.as_mut().poll(cx).is_ready() {
                armed_ms = watch.now_ms() + 1;
                timer.as_mut().reset(watch.instant(armed_ms).into());
            }
        }
        Poll::Pending
    })
    .await
}

/// A socket that notes in the connection's watch when it is read and written.
struct Watched<T> {
    io: TokioIo<T>,
    control: Arc<Control>,
    /// The client did not take what was last written.
    is_stalled: bool,
}

impl<T> Watched<T> {
    fn note_write(&mut self, is_pending: bool) {
        if is_pending {
            self.is_stalled = true;
        } else if self.is_stalled {
            self.is_stalled = false;
            if self.control.watch.phase() == Phase::Writing {
                self.control.watch.enter(Phase::Writing);
            }
        }
    }
}

impl<T: AsyncRead + Unpin> Read for Watched<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.io).poll_read(cx, buffer);
        if polled.is_ready() {
            self.control.watch.was_read();
        }
        polled
    }
}

impl<T: AsyncWrite + Unpin> Write for Watched<T> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &[u8]) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.io).poll_write(cx, buffer);
        self.note_write(polled.is_pending());
        polled
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffers: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.io).poll_write_vectored(cx, buffers);
        self.note_write(polled.is_pending());
        polled
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.io).poll_flush(cx);
        if polled.is_ready() {
            self.control.watch.was_flushed();
        }
        polled
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
}
