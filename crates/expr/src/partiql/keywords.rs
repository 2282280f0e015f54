//! The words that name nothing unless they are quoted.

/// Whether a word is a keyword of PartiQL, whatever its case.
///
/// # Source
/// The reserved words of SQL-92, which PartiQL takes over, without the parts of dates, and PartiQL's own. That AWS
/// refuses such a word after a dot was measured; that it does elsewhere, and the list, are assumed.
pub(crate) fn is_keyword(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    KEYWORDS.split_ascii_whitespace().any(|keyword| keyword == word)
}

const KEYWORDS: &str = "
absolute action add all allocate alter and any are as asc assertion at authorization avg begin between bit
bit_length by cascade cascaded case cast catalog char char_length character character_length check close coalesce
collate collation column commit connect connection constraint constraints continue convert corresponding count
create cross current current_date current_time current_timestamp current_user cursor date deallocate dec decimal
declare default deferrable deferred delete desc describe descriptor diagnostics disconnect distinct domain double
drop else end end-exec escape except exception exec execute exists external extract false fetch first float for
foreign found from full get global go goto grant group having identity immediate in indicator initially inner input
insensitive insert int integer intersect interval into is isolation join key language last left level like local
lower match max min module names national natural nchar next no not null nullif numeric octet_length of on only
open option or order outer output overlaps pad partial position precision prepare preserve primary prior privileges
procedure public read real references relative restrict revoke right rollback rows schema scroll section select
session session_user set size smallint some space sql sqlcode sqlerror sqlstate substring sum system_user table
temporary then time timestamp to transaction translate translation trim true union unique unknown update upper usage
user using value values varchar varying view when whenever where with work write zone
bag blob bool boolean can_cast can_lossless_cast clob conflict date_add date_diff do index let limit list missing
modified new nothing old pivot remove returning sexp string struct symbol tuple unpivot
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_known_in_any_case() {
        for word in ["SELECT", "inner", "Missing", "where"] {
            assert!(is_keyword(word), "{word}");
        }
        for word in ["data", "name", "pk", "year", "status", "type", ""] {
            assert!(!is_keyword(word), "{word}");
        }
    }
}
