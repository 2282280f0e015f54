//! Reading a key range of a table or an index, page by page.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::AttributeValue as Sdk;

use super::cursor::{Cursor, Page, Take};
use super::error::Error;
use super::planes::Inner;
use super::row::{Row, SdkItem, names};
use crate::schema::{Index, Table};

/// A list: one partition of a table or an index, and a range in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Listing {
    pub(crate) table: &'static Table,
    pub(crate) index: Option<&'static Index>,
    /// The partition key's value.
    pub(crate) partition: String,
    pub(crate) range: Range,
    pub(crate) consistent: bool,
}

/// A range of sort keys; bounds are part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Range {
    All,
    Prefix(String),
    Between(String, String),
}

/// A place between two items: the keys of the one before it, without the partition, which the list knows.
pub(crate) type Place = BTreeMap<String, String>;

/// What one request brought.
pub(crate) struct Fetched {
    pub(crate) rows: Vec<Row>,
    /// Where to go on, when there may be more.
    pub(crate) next: Option<Place>,
}

impl Listing {
    fn partition_key(&self) -> &'static str {
        self.index.map_or(self.table.partition_key, |index| index.partition_key)
    }

    fn sort_key(&self) -> &'static str {
        self.index.map_or(self.table.sort_key, |index| index.sort_key)
    }

    /// What makes this list another than others, for its cursors.
    fn description(&self, take: &Take) -> String {
        let index = self.index.map_or("", |index| index.name);
        format!("{} {index} {:?} {:?} {}", self.table.name, self.partition, self.range, take.newest_first)
    }

    /// The names of the keys that tell an item's place in the list.
    fn place_keys(&self) -> impl Iterator<Item = &'static str> {
        let of_index = self.index.map(|index| index.sort_key);
        [Some(self.table.partition_key), Some(self.table.sort_key), of_index]
            .into_iter()
            .flatten()
            .filter(|name| *name != self.partition_key())
    }

    /// The place of a row in the list.
    ///
    /// # Errors
    /// When the row lacks a key, which an item of the list cannot.
    pub(crate) fn place(&self, row: &Row) -> Result<Place, Error> {
        self.place_keys().map(|name| Ok((name.to_owned(), row.need(name)?.to_owned()))).collect()
    }

    /// The key to start after. Only keys of the list's own are taken from the place, and the partition is the list's own:
    /// a forged place stays inside the list.
    fn start_key(&self, place: &Place) -> SdkItem {
        let mut key: SdkItem = self
            .place_keys()
            .filter_map(|name| Some((name.to_owned(), Sdk::S(place.get(name)?.clone()))))
            .collect();
        key.insert(self.partition_key().to_owned(), Sdk::S(self.partition.clone()));
        key
    }
}

impl Inner {
    /// A page of a list. What has expired is left out.
    ///
    /// # Errors
    /// A cursor of another list, or what DynamoDB says.
    pub(crate) async fn page(&self, listing: &Listing, take: &Take) -> Result<Page<Row>, Error> {
        let description = listing.description(take);
        let mut start: Option<Place> = match &take.after {
            Some(cursor) => Some(cursor.place(&description)?),
            None => None,
        };
        let mut rows: Vec<Row> = Vec::new();
        let mut ask = take.limit;
        loop {
            let fetched = self.fetch(listing, take.newest_first, start.as_ref(), ask).await?;
            rows.extend(fetched.rows);
            if rows.len() > take.limit {
                rows.truncate(take.limit);
                let last = listing.place(&rows[take.limit - 1])?;
                return Ok(Page { items: rows, next: Some(Cursor::new(&description, last)) });
            }
            start = fetched.next;
            if start.is_none() || rows.len() == take.limit {
                let next = start.map(|place| Cursor::new(&description, place));
                return Ok(Page { items: rows, next });
            }
            // Much has expired and waits for its deletion.
            ask = ask.saturating_mul(2);
        }
    }

    /// One request for at most `limit` items of a list. Fewer come when some have expired, or after 1 MB.
    ///
    /// # Errors
    /// What DynamoDB says.
    pub(crate) async fn fetch(
        &self,
        listing: &Listing,
        newest_first: bool,
        start: Option<&Place>,
        limit: usize,
    ) -> Result<Fetched, Error> {
        let mut condition = "#p = :p".to_owned();
        let mut query = self
            .client
            .query()
            .table_name(self.table_name(listing.table))
            .set_index_name(listing.index.map(|index| index.name.to_owned()))
            .expression_attribute_names("#p", listing.partition_key())
            .expression_attribute_values(":p", Sdk::S(listing.partition.clone()))
            .scan_index_forward(!newest_first)
            .limit(i32::try_from(limit).unwrap_or(i32::MAX))
            .set_consistent_read(listing.consistent.then_some(true))
            .set_exclusive_start_key(start.map(|place| listing.start_key(place)));
        match &listing.range {
            Range::All => {}
            Range::Prefix(prefix) => {
                condition += " AND begins_with(#s, :from)";
                query = query.expression_attribute_values(":from", Sdk::S(prefix.clone()));
            }
            Range::Between(from, to) => {
                condition += " AND #s BETWEEN :from AND :to";
                query = query
                    .expression_attribute_values(":from", Sdk::S(from.clone()))
                    .expression_attribute_values(":to", Sdk::S(to.clone()));
            }
        }
        if listing.range != Range::All {
            query = query.expression_attribute_names("#s", listing.sort_key());
        }
        if listing.table.ttl.is_some() {
            let now = self.runtime.now().seconds();
            query = query
                .filter_expression("attribute_not_exists(#ttl) OR #ttl > :now")
                .expression_attribute_names("#ttl", names::TTL)
                .expression_attribute_values(":now", Sdk::N(now.to_string()));
        }
        let answer = query
            .key_condition_expression(condition)
            .send()
            .await
            .map_err(|error| Error::aws("Query", error))?;
        let next = answer.last_evaluated_key.map(Row::read).transpose()?;
        let next = next.map(|row| listing.place(&row)).transpose()?;
        let rows = answer.items.unwrap_or_default().into_iter().map(Row::read).collect::<Result<_, _>>()?;
        Ok(Fetched { rows, next })
    }
}
