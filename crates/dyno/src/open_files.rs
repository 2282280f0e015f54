//! The open files that the system gives a process, shared out, because connections and the files of the store come from
//! one stock: a store that cannot open a file can write no more.

/// As many as the server knows to use.
const WANTED: u64 = 8192;

/// Who may have how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenFiles {
    /// Connections of clients.
    pub connections: usize,
    /// Tables of the store that are kept open.
    pub tables: usize,
}

impl OpenFiles {
    /// Asks the system for as many files as are of use, and shares out what it gives.
    pub fn claim() -> OpenFiles {
        OpenFiles::share(claim())
    }

    /// A quarter for tables, and an eighth for the rest: the log, what a merge writes, deliveries of pipes.
    fn share(files: u64) -> OpenFiles {
        let files = usize::try_from(files).unwrap_or(usize::MAX);
        let tables = (files / 4).clamp(8, 400);
        let rest = (files / 8).clamp(32, 512);
        OpenFiles { connections: files.saturating_sub(tables + rest).clamp(4, 4096), tables }
    }
}

/// Raises the limit of this process as far as it may and should be, and answers what it is.
#[cfg(unix)]
fn claim() -> u64 {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { current: Some(files), maximum } = getrlimit(Resource::Nofile) else { return WANTED };
    let wanted = maximum.map_or(WANTED, |maximum| maximum.min(WANTED));
    if files >= wanted {
        return files;
    }
    match setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum }) {
        Ok(()) => wanted,
        Err(_) => files,
    }
}

/// There is no such limit here.
#[cfg(not(unix))]
fn claim() -> u64 {
    WANTED
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_files_for_the_store() {
        for (files, connections, tables) in [
            (64, 16, 16),
            (256, 160, 64),
            (1024, 640, 256),
            (WANTED, 4096, 400),
            (1 << 40, 4096, 400),
            (8, 4, 8),
        ] {
            assert_eq!(OpenFiles::share(files), OpenFiles { connections, tables }, "{files}");
        }
    }
}
