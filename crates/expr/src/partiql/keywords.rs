//! The words that name nothing unless they are quoted.

/// Whether a word is a keyword of PartiQL, whatever its case.
///
/// # Source
/// Each was refused behind a dot by AWS, measured by others (2026); that they are refused elsewhere too is assumed. Mostly
/// the reserved words of SQL-92, which PartiQL takes over, without the parts of dates, and PartiQL's own.
pub(crate) fn is_keyword(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    KEYWORDS.split_ascii_whitespace().any(|keyword| keyword == word)
}

const KEYWORDS: &str = "
absolute action add all allocate alter and any are as asc assertion at authorization avg bag begin between bigint
bit bit_length blob bool boolean by can_cast can_lossless_cast cascade cascaded case cast catalog char char_length
character character_length check clob close coalesce collate collation column commit conflict connect connection
constraint constraints continue convert corresponding count create cross current current_date current_time
current_timestamp current_user cursor date date_add date_diff deallocate dec decimal declare default deferrable
deferred delete desc describe descriptor diagnostics disconnect distinct do domain double drop else end escape
except exception exec execute exists external extract false fetch first float for foreign found from full get
global go goto grant group having identity immediate in index indicator initially inner input insensitive insert
int integer integer2 integer4 integer8 intersect interval into is isolation join key language last left let level
like limit list local lower match max min missing modified module names national natural nchar new next no not
nothing null nullif nulls numeric octet_length of offset old on only open option or order outer output overlaps pad
partial pivot position precision prepare preserve primary prior privileges procedure public read real references
relative remove restrict returning revoke right rollback rows schema scroll section select session session_user set
sexp size smallint some space sql sqlcode sqlerror sqlstate string struct substring sum symbol system_user table
temporary then time timestamp to transaction translate trim true tuple union unique unknown unpivot update upper
usage user using value values varchar varying view when whenever where with work write zone
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_known_in_any_case() {
        for word in ["SELECT", "inner", "Missing", "where", "offset", "integer4"] {
            assert!(is_keyword(word), "{word}");
        }
        for word in ["data", "name", "pk", "year", "status", "type", ""] {
            assert!(!is_keyword(word), "{word}");
        }
    }
}
