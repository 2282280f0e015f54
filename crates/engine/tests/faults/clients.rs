//! Several clients on one thread: who goes on next, and when the disk does, is drawn by seed.

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;

use dynamometer_store::fault::FaultStore;

use crate::bank::{Bank, TABLE, Transfer};
use crate::common::requests::*;
use crate::common::{Choices, poll_once};

/// How many operations each client makes.
const OPERATIONS: usize = 14;

type Client<'a> = Pin<Box<dyn Future<Output = ()> + 'a>>;

/// The clients at work.
pub struct Clients<'a> {
    bank: &'a Bank,
    store: &'a FaultStore,
    choices: Choices,
    clients: Vec<Client<'a>>,
}

impl<'a> Clients<'a> {
    pub fn new(seed: u64, bank: &'a Bank, store: &'a FaultStore) -> Clients<'a> {
        let clients =
            (0..5).map(|at| -> Client<'a> { Box::pin(client(bank, at, Choices::new(seed * 10 + at))) });
        Clients { bank, store, choices: Choices::new(seed), clients: clients.collect() }
    }

    /// Works until all clients are done. An index is added on the way, and filled while they work.
    pub fn run(mut self) {
        let mut turns = 0;
        while !self.clients.is_empty() {
            turns += 1;
            // Behind a slow disk their writes queue up.
            self.store.pause();
            for _ in 0..self.choices.below(8) {
                self.let_one_go_on();
            }
            self.store.resume();
            if turns == 3 {
                let index = global_index("late", (&["owner"], &["balance"]), "t");
                let _ = self.bank.world.update_table(add_index(
                    TABLE,
                    index,
                    &["owner S".into(), "balance N".into()],
                ));
            }
            if turns % 4 == 0 {
                let _ = self.bank.world.engine.run_jobs(self.bank.world.now());
            }
        }
    }

    fn let_one_go_on(&mut self) {
        if self.clients.is_empty() {
            return;
        }
        let at = self.choices.below(self.clients.len());
        if poll_once(self.clients[at].as_mut()).is_some() {
            drop(self.clients.swap_remove(at));
        }
    }
}

async fn client(bank: &Bank, number: u64, mut choices: Choices) {
    let version = Cell::new(0);
    for operation in 0..OPERATIONS {
        let note = format!("note-{number}-{}", choices.below(2));
        match choices.below(6) {
            0 => bank.write_note(&note, "·".repeat(choices.below(40))).await,
            1 => bank.delete_note(&note).await,
            2 => bank.add().await,
            3 => version.set(bank.raise_version(version.get()).await),
            _ => {
                let (from, to) = (choices.below(4), choices.below(3));
                let to = if to >= from { to + 1 } else { to };
                let amount = choices.below(60) as i64;
                bank.transfer(format!("transfer-{number}-{operation}"), Transfer { from, to, amount }).await;
            }
        }
    }
}
