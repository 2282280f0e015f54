//! Names: tables, indexes and their ARNs.

/// Whether the text holds only characters that table, index and backup names may have.
pub fn has_name_characters(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-'))
}

/// Whether the text is a table or index name: 3 to 255 of `a-zA-Z0-9_.-`.
pub fn is_name(text: &str) -> bool {
    (3..=255).contains(&text.len()) && has_name_characters(text)
}

/// What a `TableName` member names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableReference<'a> {
    /// A table by its name.
    Name(&'a str),
    /// A table by its ARN.
    Arn {
        /// The ARN's region.
        region: &'a str,
        /// The ARN's account.
        account: &'a str,
        /// The table's name.
        name: &'a str,
    },
}

impl<'a> TableReference<'a> {
    /// Reads a name or `arn:aws:dynamodb:<region>:<account>:table/<name>`.
    pub fn read(text: &'a str) -> TableReference<'a> {
        TableReference::arn(text).unwrap_or(TableReference::Name(text))
    }

    fn arn(text: &'a str) -> Option<TableReference<'a>> {
        let mut parts = text.strip_prefix("arn:")?.splitn(5, ':');
        let _partition = parts.next()?;
        (parts.next()? == "dynamodb").then_some(())?;
        let (region, account) = (parts.next()?, parts.next()?);
        let name = parts.next()?.strip_prefix("table/")?;
        (!name.contains('/')).then_some(TableReference::Arn { region, account, name })
    }

    /// The table's name.
    pub fn name(&self) -> &'a str {
        match self {
            TableReference::Name(name) | TableReference::Arn { name, .. } => name,
        }
    }
}

/// The ARN of a table.
pub fn table_arn(region: &str, account: &str, table: &str) -> String {
    format!("arn:aws:dynamodb:{region}:{account}:table/{table}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for (text, good) in [("abc", true), ("a-B_9.", true), ("ab", false), ("a b", false), ("äbc", false)]
        {
            assert_eq!(is_name(text), good, "{text}");
        }
        assert!(is_name(&"a".repeat(255)) && !is_name(&"a".repeat(256)));
    }

    #[test]
    fn a_table_is_named_or_pointed_at() {
        let arn = table_arn("eu-west-1", "000000000000", "Orders");
        assert_eq!(
            TableReference::read(&arn),
            TableReference::Arn { region: "eu-west-1", account: "000000000000", name: "Orders" }
        );
        for other in ["Orders", "arn:aws:s3:::b", "arn:aws:dynamodb:r:1:table/T/index/I"] {
            assert_eq!(TableReference::read(other), TableReference::Name(other));
        }
    }
}
