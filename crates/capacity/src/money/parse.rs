//! Reading a price file.

use thiserror::Error;

use super::{Money, Price, PriceItem, PriceTable, TableClass};
use crate::constants::Mark;

/// A price file that cannot be used.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{file}:{line}: expected {expected}, found {found}")]
pub struct PriceFileError {
    /// The file as it was named.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    /// What should stand there.
    pub expected: String,
    /// What does.
    pub found: String,
}

/// The columns, in order.
const COLUMNS: [&str; 9] =
    ["region", "item", "per_units", "amount", "table_class", "as_of", "confidence", "source", "note"];

/// What is wrong with a line: what was expected, and what was found.
type Complaint = (String, String);

pub(super) fn parse(file: &str, text: &str) -> Result<PriceTable, PriceFileError> {
    let at = |line: usize| {
        move |(expected, found): Complaint| PriceFileError {
            file: file.to_owned(),
            line: line + 1,
            expected,
            found,
        }
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines =
        text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    let (line, header) = lines.next().ok_or_else(|| at(0)(missing_header("an empty file")))?;
    if fields(header).map_err(at(line))? != COLUMNS {
        return Err(at(line)(missing_header(&format!("'{header}'"))));
    }
    let mut table = PriceTable::default();
    for (number, line) in lines {
        let fields = fields(line).map_err(at(number))?;
        add_row(&mut table, &fields).map_err(at(number))?;
    }
    Ok(table)
}

fn missing_header(found: &str) -> Complaint {
    (format!("the header '{}'", COLUMNS.join(",")), found.to_owned())
}

/// Splits a line at its commas. A field that holds a comma stands in double quotes, a quote within it is doubled.
fn fields(line: &str) -> Result<Vec<String>, Complaint> {
    let mut fields = vec![String::new()];
    let mut in_quotes = false;
    let mut characters = line.trim_end_matches('\r').chars().peekable();
    while let Some(character) = characters.next() {
        let field = fields.last_mut().expect("there is always a field");
        match character {
            '"' if in_quotes && characters.peek() == Some(&'"') => {
                characters.next();
                field.push('"');
            }
            '"' => in_quotes = !in_quotes,
            ',' if !in_quotes => fields.push(String::new()),
            other => field.push(other),
        }
    }
    match in_quotes {
        true => Err(("a closing double quote".to_owned(), "the end of the line".to_owned())),
        false => Ok(fields.into_iter().map(|field| field.trim().to_owned()).collect()),
    }
}

fn add_row(table: &mut PriceTable, fields: &[String]) -> Result<(), Complaint> {
    let [region, item, per_units, amount, class, as_of, confidence, source, note] = fields else {
        return Err((format!("{} fields", COLUMNS.len()), fields.len().to_string()));
    };
    if region.is_empty() {
        return Err(("a region such as us-east-1, or * for all".to_owned(), "nothing".to_owned()));
    }
    let item = PriceItem::named(item).ok_or_else(|| {
        let known: Vec<_> = PriceItem::ALL.iter().map(|item| item.name()).collect();
        (format!("one of the items {}", known.join(", ")), format!("'{item}'"))
    })?;
    let per_units: u64 =
        per_units.parse().ok().filter(|units| (1..=1_000_000_000_000).contains(units)).ok_or_else(|| {
            ("per_units as a whole number from 1 to 10^12".to_owned(), format!("'{per_units}'"))
        })?;
    let amount: Money = amount
        .parse()
        .ok()
        .filter(|amount| *amount >= Money::ZERO)
        .ok_or_else(|| ("an amount such as 0.000742, not negative".to_owned(), format!("'{amount}'")))?;
    let price = Price {
        amount,
        per_units,
        as_of: as_of.clone(),
        mark: mark(confidence)?,
        source: source.clone(),
        note: note.clone(),
    };
    match table.insert(region, (item, table_class(class)?), price) {
        None => Ok(()),
        Some(_) => Err((
            "each price once".to_owned(),
            format!(
                "a second line for {region}, {}{}",
                item.name(),
                if class.is_empty() { "" } else { " of this class" }
            ),
        )),
    }
}

fn table_class(text: &str) -> Result<Option<TableClass>, Complaint> {
    if text.is_empty() {
        return Ok(None);
    }
    let class = TableClass::ALL.into_iter().find(|class| class.name() == text);
    class.map(Some).ok_or_else(|| {
        ("table class STANDARD, STANDARD_INFREQUENT_ACCESS or nothing".to_owned(), format!("'{text}'"))
    })
}

fn mark(text: &str) -> Result<Mark, Complaint> {
    let marks = [Mark::Documented, Mark::Measured, Mark::Assumed];
    marks
        .into_iter()
        .find(|mark| mark.word() == text)
        .ok_or_else(|| ("confidence documented, measured or assumed".to_owned(), format!("'{text}'")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "region,item,per_units,amount,table_class,as_of,confidence,source,note";

    #[test]
    fn the_built_in_file_is_well_formed_and_has_what_the_main_regions_need() {
        let table = PriceTable::builtin();
        for region in ["us-east-1", "ap-northeast-1"] {
            let prices = table.region(region).unwrap();
            for item in PriceItem::ALL {
                let price = prices.price(*item, TableClass::Standard).unwrap();
                assert!(price.amount > Money::ZERO && !price.source.is_empty(), "{region} {}", item.name());
            }
        }
        assert_eq!(table.regions().count(), 18);
    }

    #[test]
    fn a_file_may_have_comments_quotes_and_windows_line_ends() {
        let text = format!(
            "\u{feff}# mine\r\n\r\n{HEADER}\r\nmars-1,wcu_hour,1,0.5,STANDARD,2026,assumed,\"me, \"\"really\"\"\",\r\n"
        );
        let table = PriceTable::parse("mine.csv", &text).unwrap();
        let price = table.region("mars-1").unwrap().price(PriceItem::WcuHour, TableClass::Standard).unwrap();
        assert_eq!((price.amount.to_string(), price.source.as_str()), ("0.50".to_owned(), "me, \"really\""));
        let mut all = PriceTable::builtin();
        all.overlay(table);
        assert!(all.region("mars-1").is_ok() && all.region("us-east-1").is_ok());
    }

    #[test]
    fn mistakes_are_answered_with_file_line_and_what_was_expected() {
        let good = "us-east-1,wcu_hour,1,0.00065,STANDARD,2026-06,documented,AWS,";
        #[rustfmt::skip]
        let cases = [
            ("", 1, "the header 'region,item,", "an empty file"),
            ("region,item\n", 1, "the header 'region,item,", "'region,item'"),
            ("H\nus-east-1,wcu_hour,1\n", 2, "9 fields", "3"),
            ("H\n# x\nus-east-1,wcu_our,1,1,,,assumed,,\n", 3, "one of the items write_request_unit, ", "'wcu_our'"),
            ("H\nus-east-1,wcu_hour,0,1,,,assumed,,\n", 2, "per_units as a whole number", "'0'"),
            ("H\nus-east-1,wcu_hour,1,0;65,,,assumed,,\n", 2, "an amount such as", "'0;65'"),
            ("H\nus-east-1,wcu_hour,1,-1,,,assumed,,\n", 2, "an amount such as", "'-1'"),
            ("H\nus-east-1,wcu_hour,1,1,IA,,assumed,,\n", 2, "table class STANDARD", "'IA'"),
            ("H\nus-east-1,wcu_hour,1,1,,,sure,,\n", 2, "confidence documented", "'sure'"),
            ("H\n,wcu_hour,1,1,,,assumed,,\n", 2, "a region such as", "nothing"),
            ("H\nG\nG\n", 3, "each price once", "a second line for us-east-1, wcu_hour of this class"),
            ("H\nus-east-1,wcu_hour,1,1,,,assumed,\"AWS,\n", 2, "a closing double quote", "the end of the line"),
        ];
        for (text, line, expected, found) in cases {
            let text = text.replace('H', HEADER).replace('G', good);
            let error = PriceTable::parse("prices.csv", &text).unwrap_err();
            assert_eq!((error.line, error.found.as_str()), (line, found), "{error}");
            assert!(
                error.to_string().starts_with(&format!("prices.csv:{line}: expected {expected}")),
                "{error}"
            );
        }
    }

    #[test]
    fn missing_prices_say_what_to_add() {
        let table = PriceTable::builtin();
        let error = table.region("moon-1").unwrap_err().to_string();
        assert!(
            error.starts_with("there are no prices for region 'moon-1'; there are for: ap-east-1, "),
            "{error}"
        );
        let ohio = table.region("us-east-2").unwrap();
        let error = ohio.price(PriceItem::WriteRequestUnit, TableClass::Standard).unwrap_err().to_string();
        assert_eq!(
            error,
            "region 'us-east-2' has no price for write_request_unit. Add a line to a price file: \
             us-east-2,write_request_unit,…"
        );
        let class = TableClass::StandardInfrequentAccess;
        let error = ohio.price(PriceItem::WcuHour, class).unwrap_err().to_string();
        assert!(error.contains("wcu_hour of class STANDARD_INFREQUENT_ACCESS"), "{error}");
    }
}
