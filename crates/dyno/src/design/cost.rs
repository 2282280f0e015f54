//! `dyno design cost`.

use std::process::ExitCode;

use dynamometer_design::cost::{Costs, cost as price};
use dynamometer_design::output::{Compared, compare_text, cost_json, cost_text};
use dynamometer_design::{Checked, check};
use serde_json::Value;

use super::check::pretty;
use super::{CostArgs, Done, Loaded, load};
use crate::problem::Problem;

/// Prices one design in full, or several in one table at the prices of one region.
pub(super) fn cost(args: &CostArgs) -> Done {
    let loaded = args.files.iter().map(|file| load(file)).collect::<Result<Vec<Loaded>, _>>()?;
    let (table, region) = args.prices.of(&loaded[0].design)?;
    let prices = table.region(&region).map_err(Problem::wrong)?;
    let mut priced: Vec<(Checked<'_>, Costs)> = Vec::new();
    for loaded in &loaded {
        let checked = check(&loaded.design, &prices);
        let costs = price(&checked.derived, &checked.services, &checked.load, &prices)
            .map_err(|missing| Problem::wrong(missing).hint("dyno design cost --prices FILE"))?;
        priced.push((checked, costs));
    }
    let text = match (args.json, priced.as_slice()) {
        (true, _) => {
            let values = loaded.iter().zip(&priced);
            let mut values: Vec<Value> = values
                .map(|(loaded, (checked, costs))| cost_json(checked, costs, &loaded.source.name, &region))
                .collect();
            pretty(&if values.len() == 1 { values.swap_remove(0) } else { Value::from(values) })
        }
        (false, [(checked, costs)]) => cost_text(checked, costs, &loaded[0].title(), &region),
        (false, several) => {
            let compared: Vec<Compared<'_>> = loaded
                .iter()
                .zip(several)
                .map(|(loaded, (checked, costs))| Compared { title: loaded.title(), checked, costs })
                .collect();
            compare_text(&compared, &region)
        }
    };
    Ok((text, ExitCode::SUCCESS))
}
