//! What a DynamoDB operation means: catalog, write path, read path, jobs. No clock, no sockets.
