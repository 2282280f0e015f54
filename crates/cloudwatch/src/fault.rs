//! The errors of CloudWatch: the name in the model, the older code of the Query protocol, the HTTP status.

/// An error as a client gets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Which one.
    pub kind: FaultKind,
    /// What is wrong and what to do.
    pub message: String,
}

macro_rules! faults {
    ($($(#[$doc:meta])* $kind:ident $shape:literal $code:literal $status:literal,)+) => {
        /// Which error.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum FaultKind { $($(#[$doc])* $kind,)+ }

        impl FaultKind {
            /// The name of its shape in the service's model.
            pub const fn shape(self) -> &'static str {
                match self { $(FaultKind::$kind => $shape,)+ }
            }

            /// The code of the Query protocol, which SDKs show.
            pub const fn code(self) -> &'static str {
                match self { $(FaultKind::$kind => $code,)+ }
            }

            /// The HTTP status.
            pub const fn status(self) -> u16 {
                match self { $(FaultKind::$kind => $status,)+ }
            }
        }
    };
}

// Source: botocore's model of cloudwatch 2010-08-01; the last two are common to all services.
faults! {
    /// A value that cannot be.
    InvalidParameterValue "InvalidParameterValueException" "InvalidParameterValue" 400,
    /// Members that cannot be together.
    InvalidParameterCombination "InvalidParameterCombinationException" "InvalidParameterCombination" 400,
    /// A member that must be there.
    MissingParameter "MissingRequiredParameterException" "MissingParameter" 400,
    /// A token that this server did not give.
    InvalidNextToken "InvalidNextToken" "InvalidNextToken" 400,
    /// No such alarm.
    ResourceNotFound "ResourceNotFound" "ResourceNotFound" 404,
    /// No such rule, or nothing to tag.
    ResourceNotFoundException "ResourceNotFoundException" "ResourceNotFoundException" 404,
    /// More than is kept.
    LimitExceeded "LimitExceededFault" "LimitExceeded" 400,
    /// Text that should be JSON.
    InvalidFormat "InvalidFormatFault" "InvalidFormat" 400,
    /// A value outside its set, or a query that cannot be worked out.
    Validation "ValidationError" "ValidationError" 400,
    /// The server's fault.
    InternalService "InternalServiceFault" "InternalServiceError" 500,
    /// A body that cannot be read.
    Serialization "SerializationException" "SerializationException" 400,
    /// An operation that is not there.
    UnknownOperation "UnknownOperationException" "InvalidAction" 400,
}

impl Fault {
    /// An error with its text.
    pub fn new(kind: FaultKind, message: impl Into<String>) -> Fault {
        Fault { kind, message: message.into() }
    }

    /// `InvalidParameterValue`.
    pub fn invalid(message: impl Into<String>) -> Fault {
        Fault::new(FaultKind::InvalidParameterValue, message)
    }

    /// `InvalidParameterCombination`.
    pub fn combination(message: impl Into<String>) -> Fault {
        Fault::new(FaultKind::InvalidParameterCombination, message)
    }

    /// `MissingParameter`.
    pub fn missing(message: impl Into<String>) -> Fault {
        Fault::new(FaultKind::MissingParameter, message)
    }

    /// `ValidationError`.
    pub fn validation(message: impl Into<String>) -> Fault {
        Fault::new(FaultKind::Validation, message)
    }
}
