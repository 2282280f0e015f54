//! `FunctionName`, in the forms that Lambda takes.

use dynamometer_types::name::has_name_characters;

/// A function as a pipe names it: `processor`, `processor:live`, `000000000000:function:processor`, or an ARN.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// The name alone.
    pub name: String,
    /// An alias or a version.
    qualifier: Option<String>,
    /// Account and region, as far as they were given.
    account: Option<String>,
    region: Option<String>,
}

impl Function {
    /// Reads a name.
    ///
    /// # Errors
    /// A sentence that says what was expected.
    pub fn read(text: &str) -> Result<Function, String> {
        let wrong = || {
            format!(
                "`FunctionName` is a function's name or ARN, with `:ALIAS` or `:VERSION` behind it if need be, not `{text}`"
            )
        };
        let parts: Vec<&str> = text.split(':').collect();
        let (region, account, rest) = match parts.as_slice() {
            ["arn", _, "lambda", region, account, "function", rest @ ..] => {
                (Some(*region), Some(*account), rest)
            }
            [account, "function", rest @ ..] => (None, Some(*account), rest),
            rest => (None, None, rest),
        };
        let (name, qualifier) = match rest {
            [name] => (*name, None),
            [name, qualifier] => (*name, Some(*qualifier)),
            _ => return Err(wrong()),
        };
        let is_name = |text: &str| !text.is_empty() && text.len() <= 140 && has_name_characters(text);
        let is_qualifier = |text: &str| is_name(text.strip_prefix('$').unwrap_or(text));
        if !is_name(name) || !qualifier.is_none_or(is_qualifier) {
            return Err(wrong());
        }
        let owned = |text: Option<&str>| text.filter(|text| !text.is_empty()).map(str::to_owned);
        Ok(Function {
            name: name.to_owned(),
            qualifier: owned(qualifier),
            account: owned(account),
            region: owned(region),
        })
    }

    /// Path and query of its invocations, without a slash in front. Runtime emulators know functions by their names, so an
    /// ARN is not part of it.
    pub fn invocations(&self) -> String {
        let query =
            self.qualifier.as_ref().map(|qualifier| format!("?Qualifier={qualifier}")).unwrap_or_default();
        format!("2015-03-31/functions/{}/invocations{query}", self.name)
    }

    /// Its ARN, with the server's region and account where none was given.
    pub fn arn(&self, region: &str, account: &str) -> String {
        let region = self.region.as_deref().unwrap_or(region);
        let account = self.account.as_deref().unwrap_or(account);
        let qualifier = self.qualifier.as_ref().map(|qualifier| format!(":{qualifier}")).unwrap_or_default();
        format!("arn:aws:lambda:{region}:{account}:function:{}{qualifier}", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_names_the_same_function() {
        let cases = [
            ("processor", "processor/invocations", "us-east-1:000000000000:function:processor"),
            (
                "processor:live",
                "processor/invocations?Qualifier=live",
                "us-east-1:000000000000:function:processor:live",
            ),
            ("f:$LATEST", "f/invocations?Qualifier=$LATEST", "us-east-1:000000000000:function:f:$LATEST"),
            ("111122223333:function:f", "f/invocations", "us-east-1:111122223333:function:f"),
            (
                "arn:aws:lambda:eu-west-1:111122223333:function:f:7",
                "f/invocations?Qualifier=7",
                "eu-west-1:111122223333:function:f:7",
            ),
        ];
        for (text, path, arn) in cases {
            let function = Function::read(text).unwrap();
            assert_eq!(function.invocations(), format!("2015-03-31/functions/{path}"));
            assert_eq!(function.arn("us-east-1", "000000000000"), format!("arn:aws:lambda:{arn}"));
        }
        for wrong in [
            "",
            "a b",
            "f:",
            "f:a:b",
            "arn:aws:lambda:us-east-1:1:layer:f",
            "arn:aws:sqs:us-east-1:1:f",
            "a/b",
        ] {
            assert!(Function::read(wrong).is_err(), "{wrong}");
        }
    }
}
