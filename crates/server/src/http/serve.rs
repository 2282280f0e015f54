//! The accept loops, the number of connections, and an orderly end.

use super::body::Budget;
use super::config::HttpConfig;
use super::connection::{Control, Order, Shared, serve_connection};
use super::message::Service;
use super::unsent::Unsent;
use super::watch::{Phase, Watch};
use std::collections::HashMap;
use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// The pause after a failed accept (no file descriptors are left, say), and between two looks for an idle connection.
const PAUSE: Duration = Duration::from_millis(20);

/// How long after their order to stop connections may take to notice it.
const STOP_WAIT: Duration = Duration::from_millis(100);

/// Why serving could not begin.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// A listening socket cannot be used by the runtime.
    #[error("cannot use a listening socket: {0}")]
    Listener(#[from] io::Error),
}

/// All running connections.
#[derive(Default)]
pub(super) struct Registry {
    running: Mutex<Running>,
    /// Told whenever a connection ends.
    ended: Notify,
}

#[derive(Default)]
struct Running {
    next_number: u64,
    controls: HashMap<u64, Arc<Control>>,
}

/// Takes a connection out of the registry at its end, whatever that is.
struct Registered {
    registry: Arc<Registry>,
    number: u64,
}

/// Serves `service` on sockets from [`bind`](super::bind) until `shutdown` is done. Then it takes no new connections,
/// closes those that are idle, lets running requests finish for [`Timeouts::shutdown`](super::Timeouts::shutdown),
/// and cuts off the rest.
///
/// May be called once in each of several runtimes, with listeners cloned by `try_clone`; limits then count for each.
///
/// # Errors
/// A listener cannot be used. Trouble of single connections goes to [`HttpConfig::log`] and ends nothing.
pub async fn serve<S: Service>(
    listeners: Vec<std::net::TcpListener>,
    config: Arc<HttpConfig>,
    service: Arc<S>,
    shutdown: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let grace = config.timeouts.shutdown;
    let budget = Budget::new(config.limits.in_flight_bytes);
    let unsent = Unsent::new(config.limits.unsent_bytes);
    let registry = Arc::new(Registry::default());
    let shared =
        Shared { config, service, budget, unsent, registry: registry.clone(), epoch: Instant::now() };
    let shared = Arc::new(shared);
    let mut loops = tokio::task::JoinSet::new();
    for listener in listeners {
        listener.set_nonblocking(true)?;
        loops.spawn(accept_all(TcpListener::from_std(listener)?, shared.clone(), registry.clone()));
    }
    shutdown.await;
    loops.shutdown().await;
    registry.order_all(Order::Finish);
    if tokio::time::timeout(grace, registry.is_empty()).await.is_err() {
        registry.order_all(Order::Stop);
        // Nothing else can be done for a task that does not end now; the runtime drops it.
        let _ = tokio::time::timeout(STOP_WAIT, registry.is_empty()).await;
    }
    Ok(())
}

async fn accept_all<S: Service>(listener: TcpListener, shared: Arc<Shared<S>>, registry: Arc<Registry>) {
    let mut last_complaint: Option<Instant> = None;
    loop {
        match listener.accept().await {
            Ok((socket, peer)) => start(socket, peer, &shared, &registry).await,
            // The client was gone before we came to it.
            Err(problem)
                if matches!(problem.kind(), ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset) => {}
            Err(problem) => {
                if last_complaint.is_none_or(|at| at.elapsed() > Duration::from_secs(1)) {
                    (shared.config.log)(&format!("cannot accept a connection: {problem}"));
                    last_complaint = Some(Instant::now());
                }
                registry.close_longest_idle();
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

/// Gives a new connection a task of its own, as soon as there is room for one more.
async fn start<S: Service>(
    socket: TcpStream,
    peer: SocketAddr,
    shared: &Arc<Shared<S>>,
    registry: &Arc<Registry>,
) {
    while registry.lock().controls.len() >= shared.config.limits.connections {
        registry.close_longest_idle();
        let _ = tokio::time::timeout(PAUSE, registry.ended.notified()).await;
    }
    // Small answers must not wait for the client's acknowledgement. A socket that refuses is slower, not wrong.
    let _ = socket.set_nodelay(true);
    let control = Arc::new(Control::new(Watch::new(shared.epoch, shared.config.timeouts.clone())));
    let registered = registry.add(control.clone());
    let shared = shared.clone();
    tokio::spawn(async move {
        serve_connection(shared, control, socket, peer, registered.number).await;
        drop(registered);
    });
}

impl Registry {
    fn lock(&self) -> MutexGuard<'_, Running> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(self: &Arc<Registry>, control: Arc<Control>) -> Registered {
        let mut running = self.lock();
        let number = running.next_number;
        running.next_number += 1;
        running.controls.insert(number, control);
        Registered { registry: self.clone(), number }
    }

    fn order_all(&self, order: Order) {
        self.lock().controls.values().for_each(|control| control.order(order));
    }

    /// Makes room: ends the connection that has been idle for longest, when one is idle and not yet told.
    fn close_longest_idle(&self) {
        let running = self.lock();
        let idle = running.controls.values().filter(|control| {
            control.watch.phase() == Phase::Idle && control.current_order() == Order::Serve
        });
        if let Some(control) = idle.min_by_key(|control| control.watch.since_ms()) {
            control.order(Order::Finish);
        }
    }

    /// Ends the connection whose client has not taken any of its answer for longest, if one has not for `at_least_ms`.
    pub(super) fn cut_longest_stalled(&self, now_ms: u64, at_least_ms: u64) {
        let running = self.lock();
        let stalled = running.controls.values().filter(|control| {
            let since_ms = control.watch.since_ms();
            control.watch.phase() == Phase::Writing
                && since_ms.saturating_add(at_least_ms) <= now_ms
                && control.current_order() != Order::Stop
        });
        if let Some(control) = stalled.min_by_key(|control| control.watch.since_ms()) {
            control.order(Order::Stop);
        }
    }

    /// Done when no connection is left.
    async fn is_empty(&self) {
        loop {
            let ended = self.ended.notified();
            if self.lock().controls.is_empty() {
                return;
            }
            ended.await;
        }
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        self.registry.lock().controls.remove(&self.number);
        self.registry.ended.notify_waiters();
    }
}
