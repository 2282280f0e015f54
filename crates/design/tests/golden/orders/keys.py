"""Keys of 注文アプリ.

Written by dyno design generate from orders.yaml: change that file instead.
"""

from __future__ import annotations

from typing import NewType, TypedDict

UserId = NewType("UserId", str)
Email = NewType("Email", str)
OrderId = NewType("OrderId", str)
Status = NewType("Status", str)
CreatedAt = NewType("CreatedAt", str)
DeliveredAt = NewType("DeliveredAt", str)
Timestamp = NewType("Timestamp", str)

MyAppTableKey = TypedDict("MyAppTableKey", {"PK": str, "SK": str})

GSI1Key = TypedDict("GSI1Key", {"GSI1PK": str, "GSI1SK": str})

GSI2Key = TypedDict("GSI2Key", {"GSI2PK": str, "GSI2SK": str})

GSI3Key = TypedDict("GSI3Key", {"GSI3PK": str, "GSI3SK": str})


def user_key(user_id: UserId) -> MyAppTableKey:
    """The key of User in MyAppTable: USER#<userId> / PROFILE."""
    return {
        "PK": f"USER#{user_id}",
        "SK": "PROFILE",
    }


def user_gsi1_key(email: Email, user_id: UserId) -> GSI1Key:
    """The key of User in GSI1: EMAIL#<email> / USER#<userId>."""
    return {
        "GSI1PK": f"EMAIL#{email}",
        "GSI1SK": f"USER#{user_id}",
    }


#: What the sort key of User begins with in GSI1, for begins_with.
USER_GSI1_SORT_PREFIX = "USER#"


def order_key(order_id: OrderId) -> MyAppTableKey:
    """The key of Order in MyAppTable: ORDER#<orderId> / DETAIL."""
    return {
        "PK": f"ORDER#{order_id}",
        "SK": "DETAIL",
    }


def order_gsi2_key(status: Status, created_at: CreatedAt) -> GSI2Key:
    """The key of Order in GSI2: STATUS#<status> / <createdAt>."""
    return {
        "GSI2PK": f"STATUS#{status}",
        "GSI2SK": created_at,
    }


def order_gsi3_key(delivered_at: DeliveredAt) -> GSI3Key:
    """The key of Order in GSI3: DELIVERED_ORDERS / <deliveredAt>."""
    return {
        "GSI3PK": "DELIVERED_ORDERS",
        "GSI3SK": delivered_at,
    }


def user_order_key(user_id: UserId, timestamp: Timestamp) -> MyAppTableKey:
    """The key of UserOrder in MyAppTable: USER#<userId> / ORDER#<timestamp>."""
    return {
        "PK": f"USER#{user_id}",
        "SK": f"ORDER#{timestamp}",
    }


#: What the sort key of UserOrder begins with in MyAppTable, for begins_with.
USER_ORDER_SORT_PREFIX = "ORDER#"
