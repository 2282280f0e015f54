//! The answers of the operations that take PartiQL.

use dynamometer_engine::api::{
    BatchExecuteStatementResponse, BatchStatementError, BatchStatementResponse, ExecuteStatementResponse,
    ExecuteTransactionResponse,
};
use dynamometer_engine::disk::row::CorruptRow;

use super::{Encode, Object, write_list};
use crate::encode_struct;

encode_struct! {
    ExecuteStatementResponse {
        "Items" => items,
        "NextToken" => next_token,
        "ConsumedCapacity" => consumed_capacity,
        "LastEvaluatedKey" => last_evaluated_key,
    }
}

encode_struct! {
    BatchExecuteStatementResponse { "Responses" => responses, "ConsumedCapacity" => consumed_capacity }
}

encode_struct! { BatchStatementResponse { "Error" => error, "TableName" => table_name, "Item" => item } }

encode_struct! { BatchStatementError { "Code" => code, "Message" => message, "Item" => item } }

impl Encode for ExecuteTransactionResponse {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), CorruptRow> {
        let mut object = Object::open(out);
        write_list(&self.responses, object.member("Responses"), |item, out| {
            let mut response = Object::open(out);
            response.write("Item", item)?;
            response.close();
            Ok(())
        })?;
        object.write("ConsumedCapacity", &self.consumed_capacity)?;
        object.close();
        Ok(())
    }
}
