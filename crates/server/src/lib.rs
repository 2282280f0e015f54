//! Sockets, wire protocols, authentication and the job runner.
