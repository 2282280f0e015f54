//! Keys of 注文アプリ. Written by dyno design generate from orders.yaml: change that file instead.
//! Include it as `#[rustfmt::skip] mod keys;`.

/// The value of a key attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyValue {
    /// A string.
    S(String),
    /// A number.
    N(String),
}

/// A key: attribute names with their values, the partition key first.
pub type Key = Vec<(&'static str, KeyValue)>;

/// The variable `userId` of keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserId(pub String);

impl std::fmt::Display for UserId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// The variable `email` of keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Email(pub String);

impl std::fmt::Display for Email {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// The variable `orderId` of keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderId(pub String);

impl std::fmt::Display for OrderId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// The variable `status` of keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status(pub String);

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// The variable `createdAt` of keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreatedAt(pub String);

impl std::fmt::Display for CreatedAt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// The variable `deliveredAt` of keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveredAt(pub String);

impl std::fmt::Display for DeliveredAt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// The variable `timestamp` of keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timestamp(pub String);

impl std::fmt::Display for Timestamp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// The key of User in MyAppTable: `USER#<userId> / PROFILE`.
pub fn user_key(user_id: &UserId) -> Key {
    vec![
        ("PK", KeyValue::S(format!("USER#{user_id}"))),
        ("SK", KeyValue::S("PROFILE".to_owned())),
    ]
}

/// The key of User in GSI1: `EMAIL#<email> / USER#<userId>`.
pub fn user_gsi1_key(email: &Email, user_id: &UserId) -> Key {
    vec![
        ("GSI1PK", KeyValue::S(format!("EMAIL#{email}"))),
        ("GSI1SK", KeyValue::S(format!("USER#{user_id}"))),
    ]
}

/// What the sort key of User begins with in GSI1, for begins_with.
pub const USER_GSI1_SORT_PREFIX: &str = "USER#";

/// The key of Order in MyAppTable: `ORDER#<orderId> / DETAIL`.
pub fn order_key(order_id: &OrderId) -> Key {
    vec![
        ("PK", KeyValue::S(format!("ORDER#{order_id}"))),
        ("SK", KeyValue::S("DETAIL".to_owned())),
    ]
}

/// The key of Order in GSI2: `STATUS#<status> / <createdAt>`.
pub fn order_gsi2_key(status: &Status, created_at: &CreatedAt) -> Key {
    vec![
        ("GSI2PK", KeyValue::S(format!("STATUS#{status}"))),
        ("GSI2SK", KeyValue::S(created_at.to_string())),
    ]
}

/// The key of Order in GSI3: `DELIVERED_ORDERS / <deliveredAt>`.
pub fn order_gsi3_key(delivered_at: &DeliveredAt) -> Key {
    vec![
        ("GSI3PK", KeyValue::S("DELIVERED_ORDERS".to_owned())),
        ("GSI3SK", KeyValue::S(delivered_at.to_string())),
    ]
}

/// The key of UserOrder in MyAppTable: `USER#<userId> / ORDER#<timestamp>`.
pub fn user_order_key(user_id: &UserId, timestamp: &Timestamp) -> Key {
    vec![
        ("PK", KeyValue::S(format!("USER#{user_id}"))),
        ("SK", KeyValue::S(format!("ORDER#{timestamp}"))),
    ]
}

/// What the sort key of UserOrder begins with in MyAppTable, for begins_with.
pub const USER_ORDER_SORT_PREFIX: &str = "ORDER#";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_key_is_built() {
        let key = user_key(&UserId("userId-1".to_owned()));
        let expected = vec![
            ("PK", KeyValue::S("USER#userId-1".to_owned())),
            ("SK", KeyValue::S("PROFILE".to_owned())),
        ];
        assert_eq!(key, expected);
    }

    #[test]
    fn user_gsi1_key_is_built() {
        let key = user_gsi1_key(&Email("email-1".to_owned()), &UserId("userId-1".to_owned()));
        let expected = vec![
            ("GSI1PK", KeyValue::S("EMAIL#email-1".to_owned())),
            ("GSI1SK", KeyValue::S("USER#userId-1".to_owned())),
        ];
        assert_eq!(key, expected);
    }

    #[test]
    fn order_key_is_built() {
        let key = order_key(&OrderId("orderId-1".to_owned()));
        let expected = vec![
            ("PK", KeyValue::S("ORDER#orderId-1".to_owned())),
            ("SK", KeyValue::S("DETAIL".to_owned())),
        ];
        assert_eq!(key, expected);
    }

    #[test]
    fn order_gsi2_key_is_built() {
        let key = order_gsi2_key(&Status("status-1".to_owned()), &CreatedAt("createdAt-1".to_owned()));
        let expected = vec![
            ("GSI2PK", KeyValue::S("STATUS#status-1".to_owned())),
            ("GSI2SK", KeyValue::S("createdAt-1".to_owned())),
        ];
        assert_eq!(key, expected);
    }

    #[test]
    fn order_gsi3_key_is_built() {
        let key = order_gsi3_key(&DeliveredAt("deliveredAt-1".to_owned()));
        let expected = vec![
            ("GSI3PK", KeyValue::S("DELIVERED_ORDERS".to_owned())),
            ("GSI3SK", KeyValue::S("deliveredAt-1".to_owned())),
        ];
        assert_eq!(key, expected);
    }

    #[test]
    fn user_order_key_is_built() {
        let key = user_order_key(&UserId("userId-1".to_owned()), &Timestamp("timestamp-1".to_owned()));
        let expected = vec![
            ("PK", KeyValue::S("USER#userId-1".to_owned())),
            ("SK", KeyValue::S("ORDER#timestamp-1".to_owned())),
        ];
        assert_eq!(key, expected);
    }
}
