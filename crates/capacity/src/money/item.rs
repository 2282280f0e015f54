//! What has a price.

/// Table class: what storage and throughput cost relative to each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TableClass {
    /// `STANDARD`.
    #[default]
    Standard,
    /// `STANDARD_INFREQUENT_ACCESS`: cheaper storage, dearer throughput.
    StandardInfrequentAccess,
}

impl TableClass {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Standard, Self::StandardInfrequentAccess];

    /// The name on the wire and in price files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Standard => "STANDARD",
            Self::StandardInfrequentAccess => "STANDARD_INFREQUENT_ACCESS",
        }
    }
}

macro_rules! price_items {
    ($( $(#[doc = $meaning:literal])+ $variant:ident $name:literal; )+) => {
        /// An item of the price table.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum PriceItem {
            $( $(#[doc = $meaning])+ $variant, )+
        }

        impl PriceItem {
            /// All items.
            pub const ALL: &[Self] = &[ $( Self::$variant, )+ ];

            /// The name in price files.
            pub const fn name(self) -> &'static str {
                match self {
                    $( Self::$variant => $name, )+
                }
            }
        }
    };
}

price_items! {
    /// On-demand write, per unit.
    WriteRequestUnit "write_request_unit";
    /// On-demand read, per unit.
    ReadRequestUnit "read_request_unit";
    /// On-demand write of a global table, per unit and region.
    ReplicatedWriteRequestUnit "replicated_write_request_unit";
    /// Provisioned write unit for an hour.
    WcuHour "wcu_hour";
    /// Provisioned read unit for an hour.
    RcuHour "rcu_hour";
    /// Provisioned write unit of a global table for an hour, in each region.
    RwcuHour "rwcu_hour";
    /// Storage.
    StorageGbMonth "storage_gb_month";
    /// Point-in-time recovery.
    PitrGbMonth "pitr_gb_month";
    /// On-demand backup.
    BackupGbMonth "backup_gb_month";
    /// Restore.
    RestoreGb "restore_gb";
    /// Export to S3.
    ExportGb "export_gb";
    /// Import from S3.
    ImportGb "import_gb";
    /// GetRecords of a stream, per call.
    StreamsReadRequestUnit "streams_read_request_unit";
    /// Change data capture for Kinesis, per unit.
    CdcKinesisUnit "cdc_kinesis_unit";
    /// Raising warm throughput, once per write unit.
    WarmThroughputWcu "warm_throughput_wcu";
    /// Raising warm throughput, once per read unit.
    WarmThroughputRcu "warm_throughput_rcu";
    /// Data transfer out to the internet.
    TransferOutGb "transfer_out_gb";
    /// Reserved for a year: up-front, per lot of read units.
    Reserved1yRcuUpfront "reserved_1y_rcu_upfront";
    /// Reserved for a year: each hour, per lot of read units.
    Reserved1yRcuHour "reserved_1y_rcu_hour";
    /// Reserved for a year: up-front, per lot of write units.
    Reserved1yWcuUpfront "reserved_1y_wcu_upfront";
    /// Reserved for a year: each hour, per lot of write units.
    Reserved1yWcuHour "reserved_1y_wcu_hour";
    /// Reserved for three years: up-front, per lot of read units.
    Reserved3yRcuUpfront "reserved_3y_rcu_upfront";
    /// Reserved for three years: each hour, per lot of read units.
    Reserved3yRcuHour "reserved_3y_rcu_hour";
    /// Reserved for three years: up-front, per lot of write units.
    Reserved3yWcuUpfront "reserved_3y_wcu_upfront";
    /// Reserved for three years: each hour, per lot of write units.
    Reserved3yWcuHour "reserved_3y_wcu_hour";
    /// Free tier: provisioned write units at all hours.
    FreeWcu "free_wcu";
    /// Free tier: provisioned read units at all hours.
    FreeRcu "free_rcu";
    /// Free tier: gigabytes of storage.
    FreeStorageGb "free_storage_gb";
    /// Free tier: stream reads a month.
    FreeStreamsReadRequestUnit "free_streams_rru";
}

impl PriceItem {
    /// The item called so in price files.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|item| item.name() == name)
    }

    /// Whether the amount is how much is free, and not a price.
    pub const fn is_free_quantity(self) -> bool {
        matches!(self, Self::FreeWcu | Self::FreeRcu | Self::FreeStorageGb | Self::FreeStreamsReadRequestUnit)
    }
}
