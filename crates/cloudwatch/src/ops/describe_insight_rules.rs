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

/// As the definitions of users' own rules look; what AWS shows for DynamoDB's is not known.
fn definition(rule: &RuleDefinition) -> String {
    let keys: Vec<String> = rule.labels.iter().map(|label| format!("{label:?}")).collect();
    let index = rule.index.as_ref().map(|index| format!(",\"IndexName\":\"{index}\"")).unwrap_or_default();
    format!(
        "{{\"Schema\":{{\"Name\":\"ServiceLogRule\",\"Version\":1}},\"Service\":\"DynamoDB\",\"TableName\":\"{}\"{index},\
         \"Contribution\":{{\"Keys\":[{}],\"ValueOf\":\"{}\"}},\"AggregateOn\":\"Sum\"}}",
        rule.table,
        keys.join(","),
        rule.value_of
    )
}
