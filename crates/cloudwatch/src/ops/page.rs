//! Lists that come in pages.

use crate::fault::{Fault, FaultKind};
use crate::value::Members;

/// A page of a list and the token of the next one. A token is how many elements came before.
///
/// # Errors
/// `InvalidNextToken` for a token that is none.
pub(super) fn page<T>(
    members: &Members<'_>,
    all: Vec<T>,
    most: usize,
) -> Result<(Vec<T>, Option<String>), Fault> {
    let from = match members.text("NextToken")? {
        None => 0,
        Some(token) => token.parse::<usize>().ok().filter(|from| *from <= all.len()).ok_or_else(invalid)?,
    };
    let next = (all.len() - from > most).then(|| (from + most).to_string());
    Ok((all.into_iter().skip(from).take(most).collect(), next))
}

fn invalid() -> Fault {
    Fault::new(FaultKind::InvalidNextToken, "The value for parameter NextToken is not valid.")
}
