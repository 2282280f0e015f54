//! From the `ResourceArn` of a request to its table.

use dynamometer_types::name::TableReference;
use dynamometer_types::{ApiError, ErrorKind};

use crate::catalog::record::{Lifecycle, TableRecord};
use crate::catalog::{Catalog, Draft};
use crate::context::Context;
use crate::ops::tables::{in_use, invalid, lookup};
use crate::validate::members::{Findings, Rule};

/// The name of the table whose ARN it is.
pub(super) fn table_name<'r>(context: &Context<'_>, arn: &'r Option<String>) -> Result<&'r str, ApiError> {
    let mut findings = Findings::new();
    findings.member("resourceArn", arn, &[Rule::MaxLength(1283)]);
    findings.finish()?;
    let Some(arn) = arn.as_deref() else { return Err(ApiError::validation("Invalid TableArn")) };
    if !arn.starts_with("arn:") {
        return Err(invalid(format!("ARNs must start with 'arn:': {arn}")));
    }
    let mut parts = arn.split(':').skip(1);
    let (partition, service) = (parts.next(), parts.next());
    if service != Some("dynamodb") {
        return Err(invalid(format!("Provided Arn is not a DynamoDB resource arn: {arn}")));
    }
    match TableReference::read(arn) {
        TableReference::Arn { region, account, name }
            if partition == Some("aws") && region == context.region && account == context.account =>
        {
            Ok(name)
        }
        TableReference::Arn { .. } => Err(elsewhere(arn)),
        TableReference::Name(_) if is_stream(arn) => Err(elsewhere(arn)),
        TableReference::Name(_) => Err(invalid(format!(
            "Invalid resource arn provided, only table or stream is accepted. Provided resource arn: {arn}"
        ))),
    }
}

fn is_stream(arn: &str) -> bool {
    arn.splitn(6, ':').nth(5).is_some_and(|resource| resource.contains("/stream/"))
}

/// What has no tags here: the tables of other regions and accounts, and streams.
fn elsewhere(arn: &str) -> ApiError {
    ApiError::validation(format!("Invalid TableArn: Invalid ResourceArn provided as input {arn}"))
}

/// The table whose tags are to be changed, as it is now.
pub(super) fn table_to_tag(
    draft: &Draft,
    context: &Context<'_>,
    name: &str,
    arn: &str,
) -> Result<TableRecord, ApiError> {
    let table = draft.table(context.namespace, name);
    let record = table.and_then(|table| lookup::settled(table, context)).ok_or_else(|| {
        let message = format!("Requested resource not found: ResourceArn: {arn} not found");
        ApiError::new(ErrorKind::ResourceNotFound, message)
    })?;
    match record.lifecycle {
        Lifecycle::Deleting { .. } => Err(in_use(format!("Table is being deleted: {name}"))),
        _ => Ok(record),
    }
}

/// The table whose tags are to be read. Of a table that is not there AWS says that the caller may not see it.
pub(super) fn table_to_list(
    catalog: &Catalog,
    context: &Context<'_>,
    name: &str,
    arn: &str,
) -> Result<TableRecord, ApiError> {
    lookup::find(catalog, context, name).ok_or_else(|| {
        let message = format!(
            "User: arn:aws:iam::{}:root is not authorized to perform: dynamodb:ListTagsOfResource on resource: \
             {arn}",
            context.account
        );
        ApiError::new(ErrorKind::AccessDenied, message)
    })
}
