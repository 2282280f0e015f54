//! `dyno design cost`, and `dyno cost --design`.

use std::path::PathBuf;

use dynamometer_design::cost::{Costs, cost};
use dynamometer_design::output::{Compared, compare_text, cost_json, cost_text};
use dynamometer_design::{Checked, check};
use serde_json::Value;

use super::check::pretty;
use super::{Loaded, load};
use crate::cost::PriceArgs;
use crate::problem::Problem;

/// Prices one design in full, or several in one table at the prices of one region.
///
/// # Errors
/// What is wrong in a file, and prices that are not known.
pub(crate) fn price(files: &[PathBuf], prices: &PriceArgs, json: bool) -> Result<String, Problem> {
    let loaded = files.iter().map(|file| load(file)).collect::<Result<Vec<Loaded>, _>>()?;
    let (table, region) = (prices.table()?, prices.region_of(&loaded[0].design));
    let prices = table.region(region).map_err(Problem::wrong)?;
    let mut priced: Vec<(Checked<'_>, Costs)> = Vec::new();
    for loaded in &loaded {
        let checked = check(&loaded.design, &prices);
        let costs = cost(&checked.derived, &checked.services, &checked.load, &prices)
            .map_err(|missing| Problem::wrong(missing).hint("--prices FILE adds what is missing"))?;
        priced.push((checked, costs));
    }
    let text = match (json, priced.as_slice()) {
        (true, _) => {
            let values = loaded.iter().zip(&priced);
            let mut values: Vec<Value> = values
                .map(|(loaded, (checked, costs))| cost_json(checked, costs, &loaded.source.name, region))
                .collect();
            pretty(&if values.len() == 1 { values.swap_remove(0) } else { Value::from(values) })
        }
        (false, [(checked, costs)]) => cost_text(checked, costs, &loaded[0].title(), region),
        (false, several) => {
            let compared: Vec<Compared<'_>> = loaded
                .iter()
                .zip(several)
                .map(|(loaded, (checked, costs))| Compared { title: loaded.title(), checked, costs })
                .collect();
            compare_text(&compared, region)
        }
    };
    Ok(text)
}
