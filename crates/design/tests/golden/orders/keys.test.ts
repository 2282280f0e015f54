// Written by dyno design generate from orders.yaml: change that file instead.
import assert from "node:assert/strict";
import test from "node:test";

import { userId, email, orderId, status, createdAt, deliveredAt, timestamp, userKey, userGSI1Key, orderKey, orderGSI2Key, orderGSI3Key, userOrderKey } from "./keys.js";

test("userKey is built", () => {
  assert.deepEqual(userKey(userId("userId-1")), {
    "PK": "USER#userId-1",
    "SK": "PROFILE",
  });
});

test("userGSI1Key is built", () => {
  assert.deepEqual(userGSI1Key(email("email-1"), userId("userId-1")), {
    "GSI1PK": "EMAIL#email-1",
    "GSI1SK": "USER#userId-1",
  });
});

test("orderKey is built", () => {
  assert.deepEqual(orderKey(orderId("orderId-1")), {
    "PK": "ORDER#orderId-1",
    "SK": "DETAIL",
  });
});

test("orderGSI2Key is built", () => {
  assert.deepEqual(orderGSI2Key(status("status-1"), createdAt("createdAt-1")), {
    "GSI2PK": "STATUS#status-1",
    "GSI2SK": "createdAt-1",
  });
});

test("orderGSI3Key is built", () => {
  assert.deepEqual(orderGSI3Key(deliveredAt("deliveredAt-1")), {
    "GSI3PK": "DELIVERED_ORDERS",
    "GSI3SK": "deliveredAt-1",
  });
});

test("userOrderKey is built", () => {
  assert.deepEqual(userOrderKey(userId("userId-1"), timestamp("timestamp-1")), {
    "PK": "USER#userId-1",
    "SK": "ORDER#timestamp-1",
  });
});
