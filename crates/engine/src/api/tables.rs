//! Requests and answers of the operations on tables.
