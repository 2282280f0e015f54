//! The user's documentation lists every constant as it is.

use dynamometer_capacity::Constants;

#[test]
fn the_documentation_lists_every_constant() {
    let documentation = include_str!("../../../docs/capacity.md");
    let missing: Vec<String> = Constants::default()
        .iter()
        .map(|(info, value)| {
            format!(
                "| `{}` | {value} {} | {} | {} | {} |",
                info.name,
                info.unit,
                info.meaning.trim(),
                info.mark.word(),
                info.source
            )
        })
        .filter(|row| !documentation.contains(row))
        .collect();
    assert!(missing.is_empty(), "docs/capacity.md lacks these rows:\n{}", missing.join("\n"));
}
