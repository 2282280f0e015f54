//! Taking a port, with errors that say what to do.

use super::port_holder::PortHolder;
use std::io::{self, ErrorKind};
use std::net::{IpAddr, SocketAddr, TcpListener, ToSocketAddrs};

/// Why a port could not be taken.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// Somebody listens there already.
    #[error("port {} is taken{}", address.port(), by(holder.as_ref()))]
    Taken {
        /// Where we wanted to listen.
        address: SocketAddr,
        /// Who it is, when that can be known.
        holder: Option<PortHolder>,
    },
    /// The name has no address.
    #[error("cannot find an address for the host {host}: {source}")]
    UnknownHost {
        /// As it was given.
        host: String,
        /// What the system says.
        source: io::Error,
    },
    /// The address is not one of this machine's.
    #[error("{address} is not an address of this machine")]
    NotHere {
        /// As the host name resolved.
        address: IpAddr,
    },
    /// The system does not let this user listen there.
    #[error("this user may not listen on port {}", address.port())]
    NotPermitted {
        /// Where we wanted to listen.
        address: SocketAddr,
    },
    /// Anything else.
    #[error("cannot listen on {address}: {source}")]
    Other {
        /// Where we wanted to listen.
        address: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
}

fn by(holder: Option<&PortHolder>) -> String {
    holder.map(|holder| format!(" by {holder}")).unwrap_or_default()
}

impl BindError {
    /// What to do about it: the part after `hint: `.
    pub fn hint(&self) -> &'static str {
        match self {
            BindError::Taken { .. } => "dyno --port 0",
            BindError::UnknownHost { .. } | BindError::NotHere { .. } => {
                "dyno --host 127.0.0.1, or 0.0.0.0 for every address of this machine"
            }
            BindError::NotPermitted { .. } => {
                "dyno --port 8000; ports below 1024 belong to the administrator"
            }
            BindError::Other { .. } => "dyno --host 127.0.0.1 --port 0",
        }
    }

    fn of(address: SocketAddr, source: io::Error) -> BindError {
        match source.kind() {
            ErrorKind::AddrInUse => BindError::Taken { address, holder: PortHolder::find(address) },
            ErrorKind::AddrNotAvailable => BindError::NotHere { address: address.ip() },
            ErrorKind::PermissionDenied => BindError::NotPermitted { address },
            _ => BindError::Other { address, source },
        }
    }
}

/// Listens on every address of `host`, ready for [`serve`](super::serve). Port 0 picks a free one, the same for all
/// addresses. An address of a family that this machine lacks is passed over when another one can be had.
///
/// # Errors
/// See [`BindError`]; nothing is left listening then.
pub fn bind(host: &str, port: u16) -> Result<Vec<TcpListener>, BindError> {
    let unknown = |source| BindError::UnknownHost { host: host.into(), source };
    let name = host.trim_start_matches('[').trim_end_matches(']');
    let mut addresses: Vec<SocketAddr> = (name, port).to_socket_addrs().map_err(unknown)?.collect();
    addresses.dedup();
    let mut listeners: Vec<TcpListener> = Vec::with_capacity(addresses.len());
    let mut absent = None;
    let mut port = port;
    for mut address in addresses {
        address.set_port(port);
        let listener = match listen(address) {
            Ok(listener) => listener,
            Err(error @ BindError::NotHere { .. }) => {
                absent = Some(error);
                continue;
            }
            Err(error) => return Err(error),
        };
        port = listener.local_addr().map_err(|source| BindError::Other { address, source })?.port();
        listeners.push(listener);
    }
    match absent {
        Some(error) if listeners.is_empty() => Err(error),
        _ if listeners.is_empty() => Err(unknown(io::Error::from(ErrorKind::NotFound))),
        _ => Ok(listeners),
    }
}

fn listen(address: SocketAddr) -> Result<TcpListener, BindError> {
    let listener = TcpListener::bind(address).map_err(|source| BindError::of(address, source))?;
    listener.set_nonblocking(true).map_err(|source| BindError::Other { address, source })?;
    Ok(listener)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_free_port_is_picked_and_shared_by_all_addresses() {
        let listeners = bind("localhost", 0).unwrap();
        let ports: Vec<u16> =
            listeners.iter().map(|listener| listener.local_addr().unwrap().port()).collect();
        assert!(ports.iter().all(|port| *port == ports[0] && *port != 0), "{ports:?}");
        assert!(bind("[::1]", 0).is_ok() || bind("::1", 0).is_err(), "brackets are taken off");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn who_holds_a_port_is_told() {
        let first = bind("127.0.0.1", 0).unwrap();
        let port = first[0].local_addr().unwrap().port();
        let error = bind("127.0.0.1", port).unwrap_err();
        assert!(
            error.to_string().starts_with(&format!("port {port} is taken by pid {} (", std::process::id())),
            "{error}"
        );
        assert_eq!(error.hint(), "dyno --port 0");
    }

    #[test]
    fn other_failures_say_what_is_wrong() {
        let cases = [
            ("no-such-host.invalid", "cannot find an address for the host no-such-host.invalid"),
            ("192.0.2.1", "192.0.2.1 is not an address of this machine"),
        ];
        for (host, expected) in cases {
            let error = bind(host, 0).unwrap_err();
            assert!(error.to_string().starts_with(expected), "{error}");
            assert!(error.hint().starts_with("dyno --host"));
        }
    }
}
