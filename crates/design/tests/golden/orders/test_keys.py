"""Written by dyno design generate from orders.yaml: change that file instead."""

import unittest

import keys


class Keys(unittest.TestCase):
    def test_user_key_is_built(self) -> None:
        self.assertEqual(
            keys.user_key(keys.UserId("userId-1")),
            {
                "PK": "USER#userId-1",
                "SK": "PROFILE",
            },
        )

    def test_user_gsi1_key_is_built(self) -> None:
        self.assertEqual(
            keys.user_gsi1_key(keys.Email("email-1"), keys.UserId("userId-1")),
            {
                "GSI1PK": "EMAIL#email-1",
                "GSI1SK": "USER#userId-1",
            },
        )

    def test_order_key_is_built(self) -> None:
        self.assertEqual(
            keys.order_key(keys.OrderId("orderId-1")),
            {
                "PK": "ORDER#orderId-1",
                "SK": "DETAIL",
            },
        )

    def test_order_gsi2_key_is_built(self) -> None:
        self.assertEqual(
            keys.order_gsi2_key(keys.Status("status-1"), keys.CreatedAt("createdAt-1")),
            {
                "GSI2PK": "STATUS#status-1",
                "GSI2SK": "createdAt-1",
            },
        )

    def test_order_gsi3_key_is_built(self) -> None:
        self.assertEqual(
            keys.order_gsi3_key(keys.DeliveredAt("deliveredAt-1")),
            {
                "GSI3PK": "DELIVERED_ORDERS",
                "GSI3SK": "deliveredAt-1",
            },
        )

    def test_user_order_key_is_built(self) -> None:
        self.assertEqual(
            keys.user_order_key(keys.UserId("userId-1"), keys.Timestamp("timestamp-1")),
            {
                "PK": "USER#userId-1",
                "SK": "ORDER#timestamp-1",
            },
        )
