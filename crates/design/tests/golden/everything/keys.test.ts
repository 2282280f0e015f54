// Written by dyno design generate from everything.yaml: change that file instead.
import assert from "node:assert/strict";
import test from "node:test";

import { theId, seq, date, type, 注文番号, tenant, region, level, note, thingInBracesKey, thingInBracesByDateKey, thingInBracesGSI1Key, 注文Key, sayNoOrKey, sayNoOrByTenantKey } from "./keys.js";

test("thingInBracesKey is built", () => {
  assert.deepEqual(thingInBracesKey(theId("the id-1"), seq(7)), {
    "PK": "T#{the id-1}",
    "seq": 7,
  });
});

test("thingInBracesByDateKey is built", () => {
  assert.deepEqual(thingInBracesByDateKey(theId("the id-1"), date("date-1")), {
    "PK": "T#{the id-1}",
    "date": "date-1",
  });
});

test("thingInBracesGSI1Key is built", () => {
  assert.deepEqual(thingInBracesGSI1Key(type("type-1")), {
    "type": "$type-1",
    "n": 5,
  });
});

test("注文Key is built", () => {
  assert.deepEqual(注文Key(注文番号("注文番号-1"), seq(7)), {
    "PK": "注文#注文番号-1",
    "seq": 7,
  });
});

test("sayNoOrKey is built", () => {
  assert.deepEqual(sayNoOrKey(tenant("tenant-1"), seq(7)), {
    "PK": "S#tenant-1",
    "seq": 7,
  });
});

test("sayNoOrByTenantKey is built", () => {
  assert.deepEqual(sayNoOrByTenantKey(tenant("tenant-1"), region("region-1"), level(7), note("note-1")), {
    "tenant": "tenant-1",
    "region": "region-1",
    "level": 7,
    "note": "note-1",
  });
});
