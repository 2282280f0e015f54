//! DescribeInsightRules.

use super::page::page;
use crate::cloudwatch::{Call, CloudWatch};
use crate::fault::Fault;
use crate::insights::RuleDefinition;
use crate::value::{Answer, Members, Value};

/// The rules of Contributor Insights.
pub(super) fn describe_insight_rules(
    cloudwatch: &mut CloudWatch,
    _call: &Call<'_>,
    members: &Members<'_>,
) -> Result<Value, Fault> {
    let most = members.integer("MaxResults", 1, 500)?.unwrap_or(500) as usize;
    let insights = &cloudwatch.insights;
    let (rules, next) = page(members, insights.rules().collect(), most)?;
    let rule = |rule: &crate::insights::Rule| {
        let name = rule.definition.name.as_str();
        Answer::new()
            .with("Name", name)
            .with("State", if insights.is_disabled(name) { "DISABLED" } else { "ENABLED" })
            .with("Schema", "{\"Name\":\"ServiceLogRule\",\"Version\":1}")
            .with("Definition", definition(&rule.definition))
            .with("ManagedRule", true)
    };
    let rules: Vec<Answer> = rules.into_iter().map(rule).collect();
    Ok(Answer::new().with_some("NextToken", next).with("InsightRules", rules).into())
}

#[expect(clippy::disallowed_methods, reason = "a text within an answer, which is JSON itself")]
fn json(labels: &[String]) -> String {
    serde_json::to_string(labels).expect("strings have a JSON form")
}

/// As the definitions of users' own rules look; what AWS shows for DynamoDB's is not known.
fn definition(rule: &RuleDefinition) -> String {
    // Names of tables and indexes have no character that JSON writes differently; names of attributes may.
    let keys = json(&rule.labels);
    let index = rule.index.as_ref().map(|index| format!(",\"IndexName\":\"{index}\"")).unwrap_or_default();
    format!(
        "{{\"Schema\":{{\"Name\":\"ServiceLogRule\",\"Version\":1}},\"Service\":\"DynamoDB\",\"TableName\":\"{}\"{index},\
         \"Contribution\":{{\"Keys\":{keys},\"ValueOf\":\"{}\"}},\"AggregateOn\":\"Sum\"}}",
        rule.table, rule.value_of
    )
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "what was written is read again")]
mod tests {
    use super::*;

    #[test]
    fn a_definition_is_json_whatever_attributes_are_called() {
        let labels = vec!["a\u{1}\u{7f}\"\\".to_owned(), "é".to_owned()];
        let rule = RuleDefinition {
            name: "r".into(),
            labels: labels.clone(),
            value_of: "ThrottleCount",
            table: "Orders".into(),
            index: Some("by-date".into()),
        };
        let read: serde_json::Value = serde_json::from_str(&definition(&rule)).unwrap();
        assert_eq!(read["Contribution"]["Keys"], serde_json::json!(labels));
        assert_eq!(read["IndexName"], "by-date");
    }
}
