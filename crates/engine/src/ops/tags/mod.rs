//! The operations on tags, and the rules of tags that CreateTable shares.

mod arn;
mod list_tags_of_resource;
mod tag_resource;
mod untag_resource;

use dynamometer_types::ApiError;
use dynamometer_types::limits::TAGS;

use crate::api::Tag;
use crate::ops::tables::text;

const KEY_CHARACTERS: usize = 128;
const VALUE_CHARACTERS: usize = 256;

/// Checks tags one by one and together, and answers them as they are stored.
pub(crate) fn new_tags(tags: &[Tag]) -> Result<Vec<(String, String)>, ApiError> {
    let mut checked: Vec<(String, String)> = Vec::with_capacity(tags.len());
    for tag in tags {
        let key = text(&tag.key);
        check_key(key)?;
        let value = match &tag.value {
            Some(value) if value.chars().count() <= VALUE_CHARACTERS && value.chars().all(is_allowed) => {
                value
            }
            other => {
                let value = other.as_deref().unwrap_or("null");
                return refuse(format!("The Tag Value provided is invalid, Value: {value}"));
            }
        };
        if checked.iter().any(|(known, _)| known == key) {
            return refuse(format!("Duplicate Tag Keys provided as input: Duplicate Tag Key found {key}"));
        }
        checked.push((key.to_owned(), value.clone()));
    }
    check_count(checked.len())?;
    Ok(checked)
}

/// The tags with others added, each in place of the one of its key.
pub(crate) fn merged(
    mut tags: Vec<(String, String)>,
    more: Vec<(String, String)>,
) -> Result<Vec<(String, String)>, ApiError> {
    for (key, value) in more {
        match tags.iter_mut().find(|(known, _)| *known == key) {
            Some((_, old)) => *old = value,
            None => tags.push((key, value)),
        }
    }
    check_count(tags.len())?;
    Ok(tags)
}

fn check_key(key: &str) -> Result<(), ApiError> {
    if !(1..=KEY_CHARACTERS).contains(&key.chars().count()) || !key.chars().all(is_allowed) {
        return refuse(format!("The Tag Key provided is invalid, Key: {key}"));
    }
    if key.starts_with("aws:") {
        return refuse(format!("Tag Key cannot be prefixed with aws:, Key: {key}"));
    }
    Ok(())
}

fn check_count(count: usize) -> Result<(), ApiError> {
    if count > TAGS {
        return refuse("Number of Tags exceed the current limit for the provided ResourceArn");
    }
    Ok(())
}

/// Letters and digits of any script, spaces, and `+ - = . _ : / @`.
fn is_allowed(character: char) -> bool {
    let space = character.is_whitespace() && !character.is_control();
    character.is_alphanumeric() || space || "+-=._:/@".contains(character)
}

fn refuse<T>(message: impl Into<String>) -> Result<T, ApiError> {
    Err(ApiError::validation(message))
}
