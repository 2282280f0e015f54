//! The price table.

use std::collections::BTreeMap;

use thiserror::Error;

use super::parse::{self, PriceFileError};
use super::{Money, PriceItem, TableClass};
use crate::constants::Mark;

/// One price.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Price {
    /// Dollars for `per_units`; of a free quantity, how much is free.
    pub amount: Money,
    /// How many units the amount is for.
    pub per_units: u64,
    /// The date or month of the figure; empty where it is not known.
    pub as_of: String,
    /// How sure it is.
    pub mark: Mark,
    /// Where it was read.
    pub source: String,
    /// A remark.
    pub note: String,
}

impl Price {
    /// What `quantity / divisor` units cost.
    pub fn of(&self, quantity: u128, divisor: u128) -> Money {
        self.amount.times(quantity, u128::from(self.per_units) * divisor)
    }
}

/// A price that is not there.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum PriceError {
    /// The region has no prices at all.
    #[error(
        "there are no prices for region '{region}'; there are for: {known}. Give a price file that has them"
    )]
    UnknownRegion {
        /// The region that was asked for.
        region: String,
        /// The regions there are.
        known: String,
    },
    /// The region lacks this price.
    #[error(
        "region '{region}' has no price for {item}{of_class}. Add a line to a price file: {region},{item},…"
    )]
    Missing {
        /// The region.
        region: String,
        /// The item's name in price files.
        item: &'static str,
        /// The table class, worded.
        of_class: String,
    },
}

type Key = (PriceItem, Option<TableClass>);

/// Prices of all regions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PriceTable {
    regions: BTreeMap<String, BTreeMap<Key, Price>>,
}

/// The region under which the free tier stands: it is for all regions together.
const ALL_REGIONS: &str = "*";

impl PriceTable {
    /// The prices that ship with this version, of the date that their file says.
    ///
    /// # Panics
    /// Never: a test reads the same file.
    pub fn builtin() -> Self {
        Self::parse("data/prices.csv", include_str!("../../data/prices.csv"))
            .expect("the built-in prices are well formed")
    }

    /// Reads a price file in the form of the built-in one. `file` is its name, for messages.
    ///
    /// # Errors
    /// File, line, what was expected and what was found.
    pub fn parse(file: &str, text: &str) -> Result<Self, PriceFileError> {
        parse::parse(file, text)
    }

    pub(crate) fn insert(&mut self, region: &str, key: Key, price: Price) -> Option<Price> {
        self.regions.entry(region.to_owned()).or_default().insert(key, price)
    }

    /// Lays the prices of `other` over these: a short file can correct or add a few.
    pub fn overlay(&mut self, other: Self) {
        for (region, prices) in other.regions {
            self.regions.entry(region).or_default().extend(prices);
        }
    }

    /// The regions that have prices.
    pub fn regions(&self) -> impl Iterator<Item = &str> {
        self.regions.keys().map(String::as_str).filter(|region| *region != ALL_REGIONS)
    }

    /// The prices of a region.
    ///
    /// # Errors
    /// When it has none.
    pub fn region(&self, region: &str) -> Result<RegionPrices<'_>, PriceError> {
        match self.regions.get_key_value(region) {
            Some((region, prices)) if region != ALL_REGIONS => {
                Ok(RegionPrices { region, prices, everywhere: self.regions.get(ALL_REGIONS) })
            }
            _ => Err(PriceError::UnknownRegion {
                region: region.to_owned(),
                known: self.regions().collect::<Vec<_>>().join(", "),
            }),
        }
    }
}

/// Prices of one region.
#[derive(Clone, Copy, Debug)]
pub struct RegionPrices<'a> {
    region: &'a str,
    prices: &'a BTreeMap<Key, Price>,
    everywhere: Option<&'a BTreeMap<Key, Price>>,
}

impl<'a> RegionPrices<'a> {
    /// The region.
    pub const fn region(&self) -> &'a str {
        self.region
    }

    /// The price of an item for tables of a class.
    ///
    /// # Errors
    /// When the region has no such price; none is guessed.
    pub fn price(&self, item: PriceItem, class: TableClass) -> Result<&'a Price, PriceError> {
        let find = |prices: &'a BTreeMap<Key, Price>| {
            prices.get(&(item, Some(class))).or_else(|| prices.get(&(item, None)))
        };
        find(self.prices).or_else(|| self.everywhere.and_then(find)).ok_or_else(|| {
            let has_classes = self.prices.keys().any(|(known, class)| *known == item && class.is_some());
            PriceError::Missing {
                region: self.region.to_owned(),
                item: item.name(),
                of_class: if has_classes { format!(" of class {}", class.name()) } else { String::new() },
            }
        })
    }

    /// All prices of the region with the class that they are for, if for one only.
    pub fn iter(&self) -> impl Iterator<Item = (PriceItem, Option<TableClass>, &'a Price)> {
        self.prices.iter().map(|((item, class), price)| (*item, *class, price))
    }
}
