//! Who is calling: AWS Signature Version 4 over the raw request, or anybody when no credentials are configured.
//!
//! Three questions: what the request claims (the `Authorization` header or the `X-Amz-*` query parameters), what was
//! signed (the canonical request), and whether the claim holds ([`Auth`], which asks its checks in the order in which
//! AWS answers them). Nothing here reads a clock or a socket: the request, its raw body and the time are passed in.
//!
//! The other side is here too, for the command line: [`sign`] makes the signature that [`Auth`] verifies.
//!
//! Absent on purpose: SigV4A (`AWS4-ECDSA-P256-SHA256`, only for multi-region endpoints), `aws-chunked` streaming
//! signatures (no DynamoDB client uses them) and policies (every known key may do everything).

mod caller;
mod canonical;
mod complete;
mod credentials;
mod dates;
mod error;
mod parts;
mod profiles;
mod sign;
mod signature;
mod verify;

pub use caller::Caller;
pub use credentials::{Credential, Credentials, CredentialsError};
pub use error::AuthError;
pub(crate) use parts::percent_decode;
pub use profiles::{Profile, read_profiles};
pub use sign::{Signer, sign};
pub use verify::{Auth, CallerCache, RawRequest, Scope};
