//! What the clients work on, what they were told, and how that is held against what is there.
//!
//! A bank: transfers are transactions of two accounts and a receipt, so the receipts that are there say exactly what the
//! balances must be. Beside it: notes that one client alone writes, a counter that everybody adds to, and a version that
//! everybody tries to raise.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use dynamometer_engine::api::*;
use dynamometer_types::{ApiError, ErrorKind, Item};

use crate::common::agree::check_agreement;
use crate::common::requests::*;
use crate::common::streams::stream_specification;
use crate::common::{World, n, number, s};

pub const TABLE: &str = "bank";
const ACCOUNTS: usize = 4;
const OPENING_BALANCE: i64 = 100;

/// The table, and what is known of it from the answers.
pub struct Bank {
    pub world: World,
    known: RefCell<Known>,
    /// Whether an operation was answered that the store failed.
    failed: Cell<bool>,
    /// Whether the store goes on after a failure.
    goes_on: bool,
}

#[derive(Default)]
struct Known {
    /// For each note: the states in which it may be. One, unless the last write of it was not acknowledged.
    notes: BTreeMap<String, Vec<Option<Item>>>,
    /// For each transfer: its request, and whether it was acknowledged (or not, or nobody knows).
    transfers: BTreeMap<String, (Transfer, Fate)>,
    added: (i64, i64),
    /// The highest version that was acknowledged, and the highest that was tried.
    version: (i64, i64),
}

/// What a client knows of its write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Acknowledged,
    Refused,
    Unknown,
}

#[derive(Clone, Copy, Debug)]
pub struct Transfer {
    pub from: usize,
    pub to: usize,
    pub amount: i64,
}

pub fn key(id: impl Into<String>) -> Item {
    item([("id", s(id))])
}

fn account(at: usize) -> Item {
    key(format!("account-{at}"))
}

impl Transfer {
    fn request(&self, name: &str) -> TransactWriteItemsRequest {
        let receipt = item([
            ("id", s(format!("receipt-{name}"))),
            ("owner", s(format!("account-{}", self.from))),
            ("from", n(self.from as i64)),
            ("to", n(self.to as i64)),
            ("amount", n(self.amount)),
        ]);
        let amount = || values([(":amount", n(self.amount))]);
        let take = "SET balance = balance - :amount";
        let actions = vec![
            action::update(TABLE, account(self.from), take, Some("balance >= :amount"), amount()),
            action::update(TABLE, account(self.to), "SET balance = balance + :amount", None, amount()),
            action::put(TABLE, receipt),
        ];
        transaction(actions, Some(name))
    }
}

impl Bank {
    /// Makes the table, with two indexes, and opens the accounts.
    pub fn open(world: World, goes_on: bool) -> Bank {
        let defined = ["id S", "owner S", "kind S", "balance N"].map(str::to_owned);
        world.create(CreateTableRequest {
            global_secondary_indexes: Some(vec![
                global_index("by-owner", (&["owner"], &["id"]), "KEYS_ONLY"),
                global_index("by-balance", (&["kind"], &["balance"]), "ALL"),
            ]),
            stream_specification: stream_specification(StreamViewType::NewAndOldImages),
            ..create_table(TABLE, (&["id"], &[]), &defined)
        });
        // Balances as times are of 1970: nothing is deleted, but the index of expiry times is kept.
        world.set_time_to_live(TABLE, "balance", true);
        for at in 0..ACCOUNTS {
            let mut opened = account(at);
            opened.insert("kind", s("account"));
            opened.insert("balance", n(OPENING_BALANCE));
            world.put(put(TABLE, opened)).unwrap();
        }
        world.put(put(TABLE, item([("id", s("version")), ("v", n(0))]))).unwrap();
        Bank { world, known: RefCell::default(), failed: Cell::new(false), goes_on }
    }

    fn learn(&self, what: impl FnOnce(&mut Known)) {
        what(&mut self.known.borrow_mut());
    }

    /// Sorts out an answer. After the first failure of the store nothing may be acknowledged that begins later.
    fn fate<T>(&self, began_after_failure: bool, answer: &Result<T, ApiError>) -> Fate {
        match answer.as_ref().map_err(|error| error.kind) {
            Ok(_) => {
                assert!(!began_after_failure || self.goes_on, "acknowledged after the store had failed");
                Fate::Acknowledged
            }
            Err(ErrorKind::InternalServerError) => {
                self.failed.set(true);
                Fate::Unknown
            }
            Err(ErrorKind::ConditionalCheckFailed | ErrorKind::TransactionCanceled) => Fate::Refused,
            Err(_) => panic!("{:?}", answer.as_ref().err()),
        }
    }

    /// Writes a note anew: the client that owns it does nothing else meanwhile.
    pub async fn write_note(&self, name: &str, text: String) {
        let kind = if text.len().is_multiple_of(2) { "even" } else { "odd" };
        let size = text.len() as i64;
        let note = item([
            ("id", s(name)),
            ("owner", s(kind)),
            ("kind", s("note")),
            ("balance", n(size)),
            ("t", s(text)),
        ]);
        self.note_may_be(name, Some(note.clone()));
        let failed = self.failed.get();
        let request = put(TABLE, note.clone());
        let answer = self.world.call(async |engine, context| engine.put_item(context, request).await).await;
        self.note_is_known(name, Some(note), self.fate(failed, &answer));
    }

    pub async fn delete_note(&self, name: &str) {
        self.note_may_be(name, None);
        // To delete what is not there writes nothing, and so goes well whatever the store is at.
        let failed = self.failed.get() && self.world.get(TABLE, key(name)).is_some();
        let request = delete(TABLE, key(name));
        let answer =
            self.world.call(async |engine, context| engine.delete_item(context, request).await).await;
        self.note_is_known(name, None, self.fate(failed, &answer));
    }

    fn note_may_be(&self, name: &str, note: Option<Item>) {
        self.learn(|known| known.notes.entry(name.to_owned()).or_insert_with(|| vec![None]).push(note));
    }

    fn note_is_known(&self, name: &str, note: Option<Item>, fate: Fate) {
        if fate == Fate::Acknowledged {
            self.learn(|known| drop(known.notes.insert(name.to_owned(), vec![note])));
        }
    }

    pub async fn add(&self) {
        self.learn(|known| known.added.1 += 1);
        let failed = self.failed.get();
        let request = update(TABLE, key("counter"), "ADD hits :one", values([(":one", n(1))]));
        let answer =
            self.world.call(async |engine, context| engine.update_item(context, request).await).await;
        if self.fate(failed, &answer) == Fate::Acknowledged {
            self.learn(|known| known.added.0 += 1);
        }
    }

    /// Raises the version by one from what the client believes it to be. Answers what it then is known to be.
    pub async fn raise_version(&self, believed: i64) -> i64 {
        let next = believed + 1;
        self.learn(|known| known.version.1 = known.version.1.max(next));
        let failed = self.failed.get();
        let request = UpdateItemRequest {
            condition_expression: Some("v = :believed".into()),
            return_values_on_condition_check_failure: Some(Given::Known(
                ReturnValuesOnConditionCheckFailure::AllOld,
            )),
            ..update(
                TABLE,
                key("version"),
                "SET v = :next",
                values([(":believed", n(believed)), (":next", n(next))]),
            )
        };
        let answer =
            self.world.call(async |engine, context| engine.update_item(context, request).await).await;
        let told = match (self.fate(failed, &answer), answer) {
            (Fate::Acknowledged, _) => next,
            (Fate::Refused, Err(ApiError { detail: Some(detail), .. })) => match *detail {
                // Also what a refusal tells must be durable.
                dynamometer_types::error::Detail::Item(item) => number(&item, "v"),
                other => panic!("{other:?}"),
            },
            _ => return believed,
        };
        self.learn(|known| known.version.0 = known.version.0.max(told));
        told
    }

    pub async fn transfer(&self, name: String, transfer: Transfer) {
        self.learn_transfer(&name, transfer, Fate::Unknown);
        let failed = self.failed.get();
        let request = transfer.request(&name);
        let answer = self
            .world
            .call(async |engine, context| engine.transact_write_items(context, request).await)
            .await;
        let fate = self.fate(failed, &answer);
        self.learn_transfer(&name, transfer, fate);
    }

    fn learn_transfer(&self, name: &str, transfer: Transfer, fate: Fate) {
        self.learn(|known| {
            known.transfers.insert(name.to_owned(), (transfer, fate));
        });
    }

    /// Everything once, by one client that waits for each answer.
    pub fn run_alone(&self) {
        crate::common::block_on(async {
            for round in 0..6 {
                let name = format!("note-{}", round % 2);
                self.write_note(&name, "·".repeat(round)).await;
                self.add().await;
                let believed = self.known.borrow().version.0;
                self.raise_version(believed).await;
                let (from, to) = (round % ACCOUNTS, (round + 1) % ACCOUNTS);
                self.transfer(format!("transfer-{round}"), Transfer { from, to, amount: 30 }).await;
                if round == 2 {
                    self.delete_note(&name).await;
                }
            }
        });
    }

    /// For a run without a fault.
    pub fn check_all_went_well(&self) {
        assert!(!self.failed.get());
        let known = self.known.borrow();
        assert!(known.notes.values().all(|states| states.len() == 1));
        assert!(known.transfers.values().any(|(_, fate)| *fate == Fate::Acknowledged));
        assert!(known.transfers.values().all(|(_, fate)| *fate != Fate::Unknown));
        self.check_recovered(&self.world);
    }

    /// For a run with a fault after which the store takes no more: every kind of write is refused from now on.
    pub fn check_nothing_is_acknowledged_any_more(&self) {
        assert!(self.failed.get(), "the fault was never met");
        crate::common::block_on(async {
            self.write_note("late", "late".into()).await;
            self.add().await;
            self.transfer("late".into(), Transfer { from: 0, to: 1, amount: 0 }).await;
        });
        assert!(self.world.update_table(remove_index(TABLE, "by-owner")).is_err());
    }

    /// Holds what is known against what a restart has found.
    pub fn check_recovered(&self, world: &World) {
        world.run_jobs();
        check_agreement(world, TABLE);
        let known = self.known.borrow();
        for (name, states) in &known.notes {
            let found = world.get(TABLE, key(name.as_str()));
            assert!(states.contains(&found), "note {name} is {found:?}, and should be one of {states:?}");
        }
        let hits = world.get(TABLE, key("counter")).map_or(0, |item| number(&item, "hits"));
        assert!((known.added.0..=known.added.1).contains(&hits), "{hits} hits of {:?}", known.added);
        let version = number(&world.get(TABLE, key("version")).unwrap(), "v");
        assert!(
            (known.version.0..=known.version.1).contains(&version),
            "version {version} of {:?}",
            known.version
        );
        let mut balances = [OPENING_BALANCE; ACCOUNTS];
        for (name, (transfer, fate)) in &known.transfers {
            let happened = world.get(TABLE, key(format!("receipt-{name}"))).is_some();
            match fate {
                Fate::Acknowledged => assert!(happened, "transfer {name} is lost"),
                Fate::Refused => assert!(!happened, "transfer {name} was refused"),
                Fate::Unknown => {}
            }
            if happened {
                balances[transfer.from] -= transfer.amount;
                balances[transfer.to] += transfer.amount;
            }
        }
        for (at, balance) in balances.iter().enumerate() {
            let found = number(&world.get(TABLE, account(at)).unwrap(), "balance");
            assert_eq!(found, *balance, "account {at} and its receipts");
        }
    }

    /// Sends again, after the restart, the transfers of which nobody knows whether they happened: with the token that
    /// they had they happen once, whatever happened before.
    pub fn finish_what_failed(&self, world: &World) {
        self.learn(|known| {
            for (name, (transfer, fate)) in &mut known.transfers {
                if *fate == Fate::Unknown {
                    let answer = world.transact(transfer.request(name));
                    *fate = if answer.is_ok() { Fate::Acknowledged } else { Fate::Refused };
                }
            }
        });
        self.check_recovered(world);
    }
}
