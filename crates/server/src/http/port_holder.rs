//! Who listens on a port already: found in `/proc` on Linux, best effort, unknown elsewhere.

use std::fmt;
use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// The process that holds a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PortHolder {
    /// Its process id.
    pub pid: u32,
    /// Its name, such as `dyno` or `java`.
    pub name: String,
    /// When it is a `dyno`: what its command line says of its data, such as `data ./dyno-data`.
    pub data: Option<String>,
}

impl fmt::Display for PortHolder {
    /// `pid 4121 (dyno, data ./dyno-data)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.data {
            Some(data) => write!(f, "pid {} ({}, {data})", self.pid, self.name),
            None => write!(f, "pid {} ({})", self.pid, self.name),
        }
    }
}

impl PortHolder {
    /// Finds the listener that keeps `address` from being bound. `None` when it is not to be known: another system,
    /// or another user's process.
    pub fn find(address: SocketAddr) -> Option<PortHolder> {
        let inodes: Vec<u64> = ["/proc/net/tcp", "/proc/net/tcp6"]
            .into_iter()
            .filter_map(|table| fs::read_to_string(table).ok())
            .flat_map(|table| listening_inodes(&table, address))
            .collect();
        let pid = process_with_socket(&inodes)?;
        let name = fs::read_to_string(format!("/proc/{pid}/comm")).ok()?.trim().to_owned();
        let command = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let data = (name == "dyno").then(|| data_of_command(&String::from_utf8_lossy(&command)));
        Some(PortHolder { pid, name, data })
    }
}

/// The inodes of the listening sockets in one of `/proc/net`'s tables that overlap an address.
fn listening_inodes(table: &str, address: SocketAddr) -> Vec<u64> {
    const LISTENS: &str = "0A";
    let rows = table.lines().skip(1).map(|line| line.split_whitespace().collect::<Vec<_>>());
    rows.filter(|row| row.len() > 9 && row[3] == LISTENS)
        .filter(|row| parse_address(row[1]).is_some_and(|held| overlaps(held, address)))
        .filter_map(|row| row[9].parse().ok())
        .collect()
}

/// Two listeners exclude each other on the same port when their addresses are equal or one stands for all.
fn overlaps(held: SocketAddr, wanted: SocketAddr) -> bool {
    let any = held.ip().is_unspecified() || wanted.ip().is_unspecified();
    held.port() == wanted.port() && (any || held.ip().to_canonical() == wanted.ip().to_canonical())
}

/// Parses `0100007F:1F40`: the address as 32-bit words in the machine's order, the port in ours.
fn parse_address(text: &str) -> Option<SocketAddr> {
    let (address, port) = text.split_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    let words = address.as_bytes().chunks(8).map(|word| {
        let word = std::str::from_utf8(word).ok()?;
        u32::from_str_radix(word, 16).ok().map(u32::to_ne_bytes)
    });
    let bytes: Vec<u8> = words.collect::<Option<Vec<_>>>()?.concat();
    let ip = match bytes.len() {
        4 => IpAddr::V4(Ipv4Addr::from(<[u8; 4]>::try_from(bytes).ok()?)),
        16 => IpAddr::V6(Ipv6Addr::from(<[u8; 16]>::try_from(bytes).ok()?)),
        _ => return None,
    };
    Some(SocketAddr::new(ip, port))
}

/// The process that has one of these sockets open, among those whose files may be seen.
fn process_with_socket(inodes: &[u64]) -> Option<u32> {
    if inodes.is_empty() {
        return None;
    }
    let wanted: Vec<String> = inodes.iter().map(|inode| format!("socket:[{inode}]")).collect();
    let processes = fs::read_dir("/proc").ok()?.flatten();
    let mut pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.find(|pid| {
        let Ok(files) = fs::read_dir(format!("/proc/{pid}/fd")) else { return false };
        files
            .flatten()
            .filter_map(|file| fs::read_link(file.path()).ok())
            .any(|target| wanted.iter().any(|wanted| target.as_os_str() == wanted.as_str()))
    })
}

/// What a `dyno` command line, its arguments separated by NUL, says of where its data are.
fn data_of_command(command: &str) -> String {
    let mut arguments = command.split('\0');
    while let Some(argument) = arguments.next() {
        match argument {
            "--in-memory" | "-inMemory" => return "in memory".into(),
            "--data" | "-dbPath" => return format!("data {}", arguments.next().unwrap_or("?")),
            _ => {
                if let Some(folder) = argument.strip_prefix("--data=") {
                    return format!("data {folder}");
                }
            }
        }
    }
    "data ./dyno-data".into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_tell_where_data_are() {
        for (command, expected) in [
            ("dyno\0", "data ./dyno-data"),
            ("dyno\0serve\0--data\0/var/x\0", "data /var/x"),
            ("dyno\0--data=/var/x\0", "data /var/x"),
            ("dyno\0--port=1\0--in-memory\0", "in memory"),
            ("dyno\0-inMemory\0", "in memory"),
        ] {
            assert_eq!(data_of_command(command), expected);
        }
    }

    #[cfg(target_endian = "little")]
    #[test]
    fn only_listeners_that_overlap_count() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n\
            0: 0100007F:1F40 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 11 1\n\
            1: 00000000:1F40 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 12 1\n\
            2: 0200007F:1F40 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 13 1\n\
            3: 0100007F:1F40 0100007F:9999 01 00000000:00000000 00:00000000 00000000     0        0 14 1\n\
            4: 0100007F:1F41 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 15 1\n\
            5: 00000000000000000000000001000000:1F40 00000000000000000000000000000000:0000 0A 0:0 0:0 0 0 0 16 1\n";
        let inodes = |address: &str| listening_inodes(table, address.parse().unwrap());
        assert_eq!(inodes("127.0.0.1:8000"), [11, 12]);
        assert_eq!(inodes("0.0.0.0:8000"), [11, 12, 13, 16]);
        assert_eq!(inodes("[::1]:8000"), [12, 16]);
        assert_eq!(inodes("127.0.0.1:8002"), [] as [u64; 0]);
    }
}
