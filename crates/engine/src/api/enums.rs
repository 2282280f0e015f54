//! Enum members, and the order in which the server prints their sets.

/// A member that should be one of a set.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Given<T> {
    /// One of the set.
    Known(T),
    /// Something else, as sent.
    Unknown(String),
}

impl<T: Copy> Given<T> {
    /// The value when it is one of the set.
    pub fn known(&self) -> Option<T> {
        match self {
            Given::Known(value) => Some(*value),
            Given::Unknown(_) => None,
        }
    }
}

/// An enum of the API.
pub trait ApiEnum: Copy + 'static {
    /// The values with their wire names, in the order in which error texts list them.
    const SET: &'static [(&'static str, Self)];

    /// Reads a wire name.
    fn read(text: &str) -> Given<Self> {
        match Self::SET.iter().find(|(name, _)| *name == text) {
            Some((_, value)) => Given::Known(*value),
            None => Given::Unknown(text.to_owned()),
        }
    }

    /// The set as error texts print it: `[A, B]`.
    fn printed_set() -> String {
        let names: Vec<&str> = Self::SET.iter().map(|(name, _)| *name).collect();
        format!("[{}]", names.join(", "))
    }
}

/// An enum value that is given and known, or else the value for an absent member.
pub fn known_or<T: Copy>(given: &Option<Given<T>>, absent: T) -> T {
    given.as_ref().and_then(Given::known).unwrap_or(absent)
}

macro_rules! api_enums {
    ($($(#[$doc:meta])* $name:ident { $($value:ident = $wire:literal),+ $(,)? })+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
        pub enum $name { $(#[doc = $wire] #[serde(rename = $wire)] $value),+ }

        impl ApiEnum for $name {
            const SET: &'static [(&'static str, Self)] = &[$(($wire, $name::$value)),+];
        }

        impl $name {
            /// The wire name.
            pub fn name(self) -> &'static str {
                match self { $($name::$value => $wire),+ }
            }
        }
    )+};
}
pub(super) use api_enums;

api_enums! {
    /// How much of the consumed capacity the answer tells.
    ReturnConsumedCapacity { Indexes = "INDEXES", Total = "TOTAL", None = "NONE" }
    /// Whether the answer tells the size of the item collection.
    ReturnItemCollectionMetrics { Size = "SIZE", None = "NONE" }
    /// Which images of the item a write answers.
    ReturnValues {
        AllNew = "ALL_NEW", UpdatedOld = "UPDATED_OLD", AllOld = "ALL_OLD", None = "NONE", UpdatedNew = "UPDATED_NEW",
    }
    /// Whether a failed condition answers the item.
    ReturnValuesOnConditionCheckFailure { AllOld = "ALL_OLD", None = "NONE" }
    /// Which attributes a Query or Scan answers.
    Select {
        SpecificAttributes = "SPECIFIC_ATTRIBUTES", Count = "COUNT", AllAttributes = "ALL_ATTRIBUTES",
        AllProjectedAttributes = "ALL_PROJECTED_ATTRIBUTES",
    }
    /// How several legacy conditions combine.
    ConditionalOperator { Or = "OR", And = "AND" }
    /// Types of key attributes.
    ScalarAttributeType { B = "B", N = "N", S = "S" }
    /// The role of a key attribute.
    KeyType { Hash = "HASH", Range = "RANGE" }
    /// What an index holds of an item.
    ProjectionType { All = "ALL", Include = "INCLUDE", KeysOnly = "KEYS_ONLY" }
    /// How a table is paid for.
    BillingMode { Provisioned = "PROVISIONED", PayPerRequest = "PAY_PER_REQUEST" }
    /// The storage class of a table.
    TableClass { Standard = "STANDARD", StandardInfrequentAccess = "STANDARD_INFREQUENT_ACCESS" }
    /// What a stream record holds.
    StreamViewType {
        KeysOnly = "KEYS_ONLY", NewImage = "NEW_IMAGE", OldImage = "OLD_IMAGE", NewAndOldImages = "NEW_AND_OLD_IMAGES",
    }
    /// Whether Contributor Insights is to be switched on or off.
    ContributorInsightsAction { Enable = "ENABLE", Disable = "DISABLE" }
    /// Which keys Contributor Insights shows.
    ContributorInsightsMode { AccessedAndThrottledKeys = "ACCESSED_AND_THROTTLED_KEYS", ThrottledKeys = "THROTTLED_KEYS" }
    /// Where Contributor Insights is.
    ContributorInsightsStatus {
        Enabling = "ENABLING", Enabled = "ENABLED", Disabling = "DISABLING", Disabled = "DISABLED", Failed = "FAILED",
    }
    /// Where a reader of a shard begins.
    ShardIteratorType {
        AfterSequenceNumber = "AFTER_SEQUENCE_NUMBER", Latest = "LATEST", AtTimestamp = "AT_TIMESTAMP",
        AtSequenceNumber = "AT_SEQUENCE_NUMBER", TrimHorizon = "TRIM_HORIZON",
    }
    /// Which shards DescribeStream shows.
    ShardFilterType { ChildShards = "CHILD_SHARDS" }
    /// The kind of encryption at rest.
    SseType { Aes256 = "AES256", Kms = "KMS" }
}
