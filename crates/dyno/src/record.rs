//! `dyno serve --record FILE`: the traffic as a trace for `dyno simulate --trace`.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use dynamometer_capacity::Constants;
use dynamometer_capacity::trace::{Event, opening};
use dynamometer_engine::throughput::TraceSink;

use crate::files::why_not_written;
use crate::problem::Problem;

/// Events that wait for the disk, at most; then requests wait too.
const WAITING_EVENTS: usize = 64 << 10;
/// How long an event stays unwritten when no other comes.
const FLUSH_AFTER: Duration = Duration::from_millis(200);

/// A trace that is being written.
pub struct Recorder {
    sink: Arc<FileSink>,
    writer: JoinHandle<()>,
}

/// The engine's end of the trace.
#[derive(Debug)]
struct FileSink {
    events: SyncSender<Message>,
}

enum Message {
    Event(Event),
    End,
}

impl TraceSink for FileSink {
    fn record(&self, event: Event) {
        // Once the file cannot be written, which was said, nobody takes them.
        let _ = self.events.send(Message::Event(event));
    }
}

impl Recorder {
    /// Begins a trace in a file that does not exist yet.
    ///
    /// # Errors
    /// When the file exists, or cannot be made.
    pub fn start(file: &Path, constants: &Constants, log: fn(&str)) -> Result<Recorder, Problem> {
        let name = file.display().to_string();
        let created = File::create_new(file).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => {
                Problem::wrong(format!("--record {name}: the file exists already"))
                    .hint("choose another name, or remove it: a trace is never written over")
            }
            _ => Problem::wrong(format!("--record {name} cannot be written: {}", why_not_written(&error))),
        })?;
        let mut out = BufWriter::with_capacity(1 << 20, created);
        out.write_all(opening(constants).as_bytes())
            .and_then(|()| out.flush())
            .map_err(|error| Problem::failed(format!("--record {name}: {}", why_not_written(&error))))?;
        let (events, taken) = sync_channel(WAITING_EVENTS);
        let writer = std::thread::Builder::new().name("dyno-trace".into()).spawn(move || {
            if let Err(error) = write_events(&taken, &mut out) {
                log(&format!("the trace {name} ends here, the server goes on: {error}"));
            }
        });
        let writer = writer.map_err(Problem::failed)?;
        Ok(Recorder { sink: Arc::new(FileSink { events }), writer })
    }

    /// Where the engine puts the events.
    pub fn sink(&self) -> Arc<dyn TraceSink> {
        self.sink.clone()
    }

    /// Writes what waits, and ends the trace.
    pub fn finish(self) {
        let _ = self.sink.events.send(Message::End);
        let _ = self.writer.join();
    }
}

fn write_events(events: &Receiver<Message>, out: &mut impl Write) -> io::Result<()> {
    let mut line = String::new();
    loop {
        match events.recv_timeout(FLUSH_AFTER) {
            Ok(Message::Event(event)) => {
                line.clear();
                event.write_to(&mut line);
                out.write_all(line.as_bytes())?;
            }
            Err(RecvTimeoutError::Timeout) => out.flush()?,
            Ok(Message::End) | Err(RecvTimeoutError::Disconnected) => return out.flush(),
        }
    }
}
