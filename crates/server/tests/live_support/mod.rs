//! A server in this process, on a clock that the test moves.

// Each test file uses its part.
#![allow(dead_code)]

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use dynamometer_capacity::money::PriceTable;
use dynamometer_engine::throughput::{ThrottleMode, ThroughputUse};
use dynamometer_engine::{Context, Engine, EngineConfig};
use dynamometer_server::auth::Caller;
use dynamometer_server::clock::{Clock, Move};
use dynamometer_server::cloudwatch::incoming;
use dynamometer_server::faults::Faults;
use dynamometer_server::pipes::{Pipes, SETTLE};
use dynamometer_server::report::{Report, build};
use dynamometer_server::runner::{Jobs, MoveError};
use dynamometer_server::service::{Answer, Api, ApiConfig};
use dynamometer_store::{MemoryStore, Store};
use dynamometer_types::Timestamp;
use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

/// 2026-06-01T00:00:00Z.
pub const BEGINNING_MS: i64 = 1_780_272_000_000;

/// The certificate that functions over https may show.
pub const CERTIFICATE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/http_tls_files/cert.pem");

/// A server in this process.
pub struct Server {
    api: Api,
    pub faults: Arc<Faults>,
    pub pipes: Arc<Pipes>,
    engine: Arc<Engine>,
    clock: Arc<Clock>,
    jobs: Arc<Jobs>,
    runtime: Runtime,
    caller: Caller,
}

impl Server {
    pub fn new(throttle: ThrottleMode) -> Server {
        Server::with(EngineConfig { throttle, ..EngineConfig::default() })
    }

    pub fn with(config: EngineConfig) -> Server {
        Server::on(Arc::new(MemoryStore::new()), config)
    }

    pub fn on(store: Arc<dyn Store>, config: EngineConfig) -> Server {
        let clock = Arc::new(Clock::Manual(AtomicI64::new(BEGINNING_MS)));
        let engine = Arc::new(Engine::open(store, config).unwrap());
        let faults = Arc::new(Faults::new(7));
        let pipes = Pipes::new(engine.clone(), clock.clone());
        let pipes = Arc::new(pipes.trusting(Some(CERTIFICATE.into())));
        let jobs = Arc::new(Jobs::new(&engine, clock.clone()));
        let config = ApiConfig {
            region: "us-east-1".into(),
            account: "000000000000".into(),
            isolate: false,
            jobs: jobs.clone(),
            faults: faults.clone(),
            pipes: pipes.clone(),
            prices: Arc::new(PriceTable::builtin()),
            coverage: None,
            seed: 7,
            log: Arc::new(|line| eprintln!("{line}")),
        };
        let runtime = Builder::new_current_thread().enable_time().build().unwrap();
        Server {
            api: Api::new(engine.clone(), config),
            engine,
            faults,
            pipes,
            clock,
            jobs,
            runtime,
            caller: Caller::anonymous("us-east-1"),
        }
    }

    pub fn call(&self, operation: &str, body: &Value) -> Result<Value, Value> {
        let answer = self.answer(operation, body);
        let body = serde_json::from_slice(&answer.body).unwrap();
        if answer.status == 200 { Ok(body) } else { Err(body) }
    }

    pub fn answer(&self, operation: &str, body: &Value) -> Answer {
        self.answer_to(&format!("DynamoDB_20120810.{operation}"), body)
    }

    /// Calls the operation of a target such as `AnyScaleFrontendService.RegisterScalableTarget`.
    pub fn answer_to(&self, target: &str, body: &Value) -> Answer {
        let body = body.to_string();
        self.runtime.block_on(self.api.answer(&self.caller, self.clock.now(), target, body.as_bytes()))
    }

    /// Calls an operation of CloudWatch.
    pub fn cloudwatch(&self, operation: &str, body: &Value) -> Value {
        let target = HeaderValue::from_str(&format!("GraniteServiceVersion20100801.{operation}")).unwrap();
        let headers = HeaderMap::from_iter([(HeaderName::from_static("x-amz-target"), target)]);
        let body = body.to_string();
        let call = incoming("/", &headers, body.as_bytes()).unwrap();
        let (operation, request) = call.read(body.as_bytes()).unwrap();
        let context = Context {
            now: self.clock.now(),
            namespace: "",
            region: "us-east-1",
            account: "000000000000",
            host: None,
            elapsed: &|| std::time::Duration::ZERO,
            entropy: &|| 0,
        };
        let answer = self.runtime.block_on(self.engine.cloudwatch(&context, operation, &request)).unwrap();
        let response = call.answer(operation, &answer, "request");
        if response.body.is_empty() { Value::Null } else { serde_json::from_slice(&response.body).unwrap() }
    }

    /// The time that the server has.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// A table with the partition key `pk`, on demand without units; with a global index on `g` that has `index` units.
    pub fn create(&self, name: &str, units: Option<[u64; 2]>, index: Option<[u64; 2]>) {
        let throughput =
            |[read, write]: [u64; 2]| json!({"ReadCapacityUnits": read, "WriteCapacityUnits": write});
        let mut request = json!({
            "TableName": name,
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            "BillingMode": if units.is_some() { "PROVISIONED" } else { "PAY_PER_REQUEST" },
        });
        if let Some(units) = units {
            request["ProvisionedThroughput"] = throughput(units);
        }
        if let Some(units) = index {
            request["AttributeDefinitions"] = json!([
                {"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "g", "AttributeType": "S"}
            ]);
            request["GlobalSecondaryIndexes"] = json!([{
                "IndexName": "by-g",
                "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "KEYS_ONLY"},
                "ProvisionedThroughput": throughput(units),
            }]);
        }
        self.call("CreateTable", &request).unwrap();
    }

    pub fn advance(&self, millis: i64) {
        let Clock::Manual(now_ms) = &*self.clock else { unreachable!("the clock was made manual") };
        now_ms.fetch_add(millis, Ordering::Relaxed);
    }

    /// Moves the clock as `POST /_dyno/clock` does, with all that falls due on the way.
    pub fn move_clock(&self, millis: i64) {
        self.try_move(Move::Advance(millis)).unwrap();
    }

    /// The same to any time.
    pub fn try_move(&self, by: Move) -> Result<Timestamp, MoveError> {
        self.jobs.move_clock(by, &|| self.pipes.settle(SETTLE))
    }

    /// Sends `rate` requests evenly over each of some seconds; answers how many were served in each second, and the
    /// reason and resource of the last refusal.
    pub fn drive(
        &self,
        seconds: usize,
        rate: i64,
        operation: &str,
        body: impl Fn(i64) -> Value,
    ) -> (Vec<i64>, Option<(String, String)>) {
        let (mut served, mut refusal) = (Vec::new(), None);
        for second in 0..seconds as i64 {
            let mut count = 0;
            for at in 0..rate {
                match self.call(operation, &body(second * rate + at)) {
                    Ok(_) => count += 1,
                    Err(error) => refusal = Some(reason(&error)),
                }
                self.advance((at + 1) * 1_000 / rate - at * 1_000 / rate);
            }
            served.push(count);
        }
        (served, refusal)
    }

    /// Keeps the state of the database under a name.
    pub fn keep_state(&self, name: &str) {
        self.engine.keep_state("", name, self.now()).unwrap();
    }

    /// Brings a state back.
    pub fn bring_back(&self, name: &str) {
        self.engine.bring_back("", name, self.now()).unwrap();
    }

    /// How far the clock was moved, as the store has it.
    pub fn kept_time(&self) -> Option<Timestamp> {
        self.engine.kept_time().unwrap()
    }

    pub fn run_jobs(&self) {
        self.api.engine().run_jobs(self.clock.now()).unwrap();
    }

    pub fn used(&self) -> ThroughputUse {
        self.api.engine().throughput_use("", self.clock.now())
    }

    pub fn report(&self) -> Report {
        build(&self.used(), &PriceTable::builtin(), "us-east-1", None)
    }
}

/// Reason and resource of a throttling error.
pub fn reason(error: &Value) -> (String, String) {
    let members = ["ThrottlingReasons", "throttlingReasons"];
    let reasons = members.iter().find_map(|member| error.get(member)).unwrap_or_else(|| panic!("{error}"));
    let text = |member: &str| reasons[0][member].as_str().unwrap().to_owned();
    (text("reason"), text("resource"))
}
