use std::fmt::Debug;

use dynamometer_engine::api::{
    BatchGetItemRequest, BatchWriteItemRequest, GetItemRequest, PutItemRequest, QueryRequest, ScanRequest,
    TransactGetItemsRequest, TransactWriteItemsRequest, UpdateItemRequest,
};
use dynamometer_types::fault::{FaultAt, Faults, Step};
use dynamometer_types::{ApiError, AttributeValue, ErrorKind, Item, Layer};
use proptest::prelude::*;

use crate::wire::read::{Request, decode, decode_again, decode_strict};

/// The text of the SerializationException that a body gets; `-` stands for one without a text.
fn refusal<R: Request + Debug>(body: &str) -> String {
    let error = decode::<R>(body.as_bytes(), Layer::Current).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Serialization, "{body}");
    if error.message.is_empty() { "-".into() } else { error.message }
}

const CAST: &str = "class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to class java.lang.Class (sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and java.lang.Class are in module java.base of loader 'bootstrap')";

#[test]
fn a_member_of_a_wrong_type_is_worded_as_aws_words_it() {
    let map_of =
        |class: &str| format!("Unrecognized collection type java.util.Map<java.lang.String, {class}>");
    let model = |name: &str| format!("com.amazonaws.dynamodb.v20120810.{name}");
    type Refusal = fn(&str) -> String;
    let (get, put, query): (Refusal, Refusal, Refusal) =
        (refusal::<GetItemRequest>, refusal::<PutItemRequest>, refusal::<QueryRequest>);
    let (scan, update): (Refusal, Refusal) = (refusal::<ScanRequest>, refusal::<UpdateItemRequest>);
    let (batch_get, batch_write): (Refusal, Refusal) =
        (refusal::<BatchGetItemRequest>, refusal::<BatchWriteItemRequest>);
    let (transact_get, transact_write): (Refusal, Refusal) =
        (refusal::<TransactGetItemsRequest>, refusal::<TransactWriteItemsRequest>);
    let structure = "Start of structure or map found where not expected";
    let field = "Unexpected field type";
    let payload = "Unexpected value type in payload";
    let cases: Vec<(Refusal, &str, String)> = vec![
        // String
        (get, r#"{"TableName":true}"#, "TRUE_VALUE cannot be converted to String".into()),
        (get, r#"{"TableName":false}"#, "FALSE_VALUE cannot be converted to String".into()),
        (get, r#"{"TableName":23}"#, "NUMBER_VALUE cannot be converted to String".into()),
        (get, r#"{"TableName":-2147483648}"#, "NUMBER_VALUE cannot be converted to String".into()),
        (get, r#"{"TableName":34.56}"#, "DECIMAL_VALUE cannot be converted to String".into()),
        (get, r#"{"TableName":1e3}"#, "DECIMAL_VALUE cannot be converted to String".into()),
        (get, r#"{"TableName":[]}"#, "Unrecognized collection type class java.lang.String".into()),
        (get, r#"{"TableName":{}}"#, structure.into()),
        (put, r#"{"ReturnValues":1}"#, "NUMBER_VALUE cannot be converted to String".into()),
        (get, r#"{"AttributesToGet":[1]}"#, "NUMBER_VALUE cannot be converted to String".into()),
        // Boolean
        (get, r#"{"ConsistentRead":"23"}"#, "Unexpected token received from parser".into()),
        (get, r#"{"ConsistentRead":"on"}"#, "Unexpected token received from parser".into()),
        (get, r#"{"ConsistentRead":23}"#, "NUMBER_VALUE cannot be converted to Boolean".into()),
        (get, r#"{"ConsistentRead":-0}"#, "NUMBER_VALUE cannot be converted to Boolean".into()),
        (
            get,
            r#"{"ConsistentRead":123456789012345678901234567890}"#,
            "NUMBER_VALUE cannot be converted to Boolean".into(),
        ),
        (get, r#"{"ConsistentRead":34.56}"#, "DECIMAL_VALUE cannot be converted to Boolean".into()),
        (get, r#"{"ConsistentRead":1E1}"#, "DECIMAL_VALUE cannot be converted to Boolean".into()),
        (get, r#"{"ConsistentRead":[]}"#, "-".into()),
        (get, r#"{"ConsistentRead":{}}"#, structure.into()),
        // Integer
        (query, r#"{"Limit":"23"}"#, "STRING_VALUE cannot be converted to Integer".into()),
        (query, r#"{"Limit":true}"#, "TRUE_VALUE cannot be converted to Integer".into()),
        (query, r#"{"Limit":false}"#, "FALSE_VALUE cannot be converted to Integer".into()),
        (query, r#"{"Limit":[]}"#, "Unrecognized collection type class java.lang.Integer".into()),
        (query, r#"{"Limit":{}}"#, structure.into()),
        // Blob
        (get, r#"{"Key":{"a":{"B":true}}}"#, "only base-64-encoded strings are convertible to bytes".into()),
        (get, r#"{"Key":{"a":{"B":3}}}"#, "only base-64-encoded strings are convertible to bytes".into()),
        (get, r#"{"Key":{"a":{"B":[]}}}"#, "Unrecognized collection type class java.nio.ByteBuffer".into()),
        (get, r#"{"Key":{"a":{"B":{}}}}"#, structure.into()),
        (
            get,
            r#"{"Key":{"a":{"B":"23456"}}}"#,
            "Base64 encoded length is expected a multiple of 4 bytes but found: 5".into(),
        ),
        (get, r#"{"Key":{"a":{"B":"=+/="}}}"#, "Invalid last non-pad Base64 character dectected".into()),
        (get, r#"{"Key":{"a":{"B":"+/+="}}}"#, "Invalid last non-pad Base64 character dectected".into()),
        (get, r#"{"Key":{"a":{"BS":["+/+="]}}}"#, "Invalid last non-pad Base64 character dectected".into()),
        // List
        (get, r#"{"AttributesToGet":"a"}"#, field.into()),
        (get, r#"{"AttributesToGet":3}"#, field.into()),
        (get, r#"{"AttributesToGet":{}}"#, structure.into()),
        (get, r#"{"Key":{"a":{"SS":"x"}}}"#, field.into()),
        (get, r#"{"Key":{"a":{"L":true}}}"#, field.into()),
        (get, r#"{"Key":{"a":{"NS":{}}}}"#, structure.into()),
        (batch_write, r#"{"RequestItems":{"t":"x"}}"#, CAST.into()),
        (batch_write, r#"{"RequestItems":{"t":{}}}"#, structure.into()),
        // Map
        (get, r#"{"Key":"a"}"#, field.into()),
        (get, r#"{"Key":[]}"#, map_of(&model("AttributeValue"))),
        (get, r#"{"Key":{"a":{"M":[]}}}"#, map_of(&model("AttributeValue"))),
        (get, r#"{"ExpressionAttributeNames":[]}"#, map_of("java.lang.String")),
        (put, r#"{"Expected":[]}"#, map_of(&model("ExpectedAttributeValue"))),
        (query, r#"{"KeyConditions":[]}"#, map_of(&model("Condition"))),
        (batch_get, r#"{"RequestItems":[]}"#, map_of(&model("KeysAndAttributes"))),
        (
            batch_write,
            r#"{"RequestItems":[]}"#,
            map_of(&format!("java.util.List<{}>", model("WriteRequest"))),
        ),
        (batch_get, r#"{"RequestItems":{"t":{"Keys":[1]}}}"#, CAST.into()),
        (batch_get, r#"{"RequestItems":{"t":{"Keys":[[]]}}}"#, map_of(&model("AttributeValue"))),
        // Structures: as a member, and as an element
        (update, r#"{"Expected":{"a":{"Value":1}}}"#, field.into()),
        (
            update,
            r#"{"AttributeUpdates":{"a":{"Value":[]}}}"#,
            format!("Unrecognized collection type class {}", model("AttributeValue")),
        ),
        (update, r#"{"AttributeUpdates":{"a":1}}"#, payload.into()),
        (get, r#"{"Key":{"a":"x"}}"#, payload.into()),
        (get, r#"{"Key":{"a":{"L":[1]}}}"#, payload.into()),
        (get, r#"{"Key":{"a":{"M":{"b":true}}}}"#, payload.into()),
        (
            get,
            r#"{"Key":{"a":[]}}"#,
            format!("Unrecognized collection type class {}", model("AttributeValue")),
        ),
        (scan, r#"{"ScanFilter":{"a":7}}"#, payload.into()),
        (batch_get, r#"{"RequestItems":{"t":7}}"#, payload.into()),
        (batch_write, r#"{"RequestItems":{"t":[7]}}"#, payload.into()),
        (batch_write, r#"{"RequestItems":{"t":[{"PutRequest":7}]}}"#, field.into()),
        (
            batch_write,
            r#"{"RequestItems":{"t":[{"DeleteRequest":[]}]}}"#,
            format!("Unrecognized collection type class {}", model("DeleteRequest")),
        ),
        (transact_get, r#"{"TransactItems":[7]}"#, payload.into()),
        (
            transact_write,
            r#"{"TransactItems":[{"Put":[]}]}"#,
            format!("Unrecognized collection type class {}", model("Put")),
        ),
        (
            transact_write,
            r#"{"TransactItems":[{"Update":{"UpdateExpression":7}}]}"#,
            "NUMBER_VALUE cannot be converted to String".into(),
        ),
        // Within a value, wherever it is
        (put, r#"{"Item":{"a":{"S":1}}}"#, "NUMBER_VALUE cannot be converted to String".into()),
        (put, r#"{"Item":{"a":{"N":1}}}"#, "NUMBER_VALUE cannot be converted to String".into()),
        (put, r#"{"Item":{"a":{"N":1.5}}}"#, "DECIMAL_VALUE cannot be converted to String".into()),
        (put, r#"{"Item":{"a":{"NULL":"maybe"}}}"#, "Unexpected token received from parser".into()),
        (put, r#"{"Item":{"a":{"BOOL":[]}}}"#, "-".into()),
        (
            put,
            r#"{"Item":{"a":{"L":[{"M":{"b":{"SS":[true]}}}]}}}"#,
            "TRUE_VALUE cannot be converted to String".into(),
        ),
        // The first in the order of the text
        (
            put,
            r#"{"Item":{"a":{"N":"x"},"b":{"S":1}},"TableName":[]}"#,
            "NUMBER_VALUE cannot be converted to String".into(),
        ),
        // No request at all
        (get, "", "-".into()),
        (get, "{", "-".into()),
        (get, r#"{"TableName":true"#, "-".into()),
        (get, "{} {}", "-".into()),
        (get, "[]", "-".into()),
        (get, "\"x\"", "-".into()),
        (get, "7", "-".into()),
        (get, "null", "-".into()),
        (get, "{'a':1}", "-".into()),
        (get, "{\"TableName\":\"\\ud800\"}", "-".into()),
    ];
    for (refused, body, text) in cases {
        assert_eq!(refused(body), text, "{body}");
    }
}

/// Path and words of each fault.
fn faults_of<R: Request>(body: &str, layer: Layer, faults: fn(&R) -> &Faults) -> Vec<(String, String)> {
    let request = decode::<R>(body.as_bytes(), layer).unwrap_or_else(|error| panic!("{body}: {error}"));
    faults(&request).iter().map(|at| (place(at), at.fault.message(layer))).collect()
}

fn place(at: &FaultAt) -> String {
    let step = |step: &Step| match step {
        Step::Member(name) => format!(".{name}"),
        Step::Key(key) => format!("/{key}"),
        Step::Index(index) => format!("[{index}]"),
    };
    at.path.iter().map(step).collect()
}

fn put_faults(body: &str, layer: Layer) -> Vec<(String, String)> {
    faults_of::<PutItemRequest>(body, layer, |request| &request.faults)
}

#[test]
fn a_value_has_the_fault_that_aws_looks_for_first() {
    const INVALID: &str = "One or more parameter values were invalid: ";
    let number = "The parameter cannot be converted to a numeric value";
    // The value; the words on the current layer; the words on the older layer where they differ.
    let cases = [
        ("{}", "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes", ""),
        (
            r#"{"X":1}"#,
            "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes",
            "",
        ),
        (
            r#"{"S":null}"#,
            "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes",
            "",
        ),
        ("null", "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes", ""),
        (
            r#"{"S":"a","N":"1"}"#,
            "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes",
            "",
        ),
        (r#"{"NULL":false}"#, "=Null attribute value types must have the value of true", ""),
        (r#"{"NULL":"no"}"#, "=Null attribute value types must have the value of true", ""),
        (r#"{"SS":[]}"#, "=An string set  may not be empty", ""),
        (r#"{"NS":[]}"#, "=An number set  may not be empty", ""),
        (r#"{"BS":[]}"#, "=Binary sets should not be empty", ""),
        (
            r#"{"SS":["b","a","b","C"]}"#,
            r#"=Input collection ["a", "b", "b", "C"] contains duplicates."#,
            "=Input collection [b, a, b, C] contains duplicates.",
        ),
        (
            r#"{"BS":["/w==","AA==","AA=="]}"#,
            r#"=Input collection ["AA==","/w==","AA=="]of type BS contains duplicates."#,
            "=Input collection [/w==, AA==, AA==]of type BS contains duplicates.",
        ),
        (
            r#"{"NS":["1","2","1.0"]}"#,
            "=Input collection contains duplicates.",
            "Input collection contains duplicates",
        ),
        (
            r#"{"SS":["",""]}"#,
            r#"=Input collection ["", ""] contains duplicates."#,
            "=Input collection [, ] contains duplicates.",
        ),
        (r#"{"N":"abc"}"#, "#: abc", ""),
        (r#"{"N":" 1"}"#, "#:  1", ""),
        (r#"{"N":"NaN"}"#, "#: NaN", ""),
        (r#"{"N":""}"#, "#: ", "#"),
        (r#"{"NS":["1","x","y"]}"#, "#: x", ""),
        (r#"{"NS":[""]}"#, "#: ", "#"),
        (
            r#"{"N":"123456789012345678901234567890123456789"}"#,
            "Attempting to store more than 38 significant digits in a Number",
            "",
        ),
        (
            r#"{"N":"1e126"}"#,
            "Number overflow. Attempting to store a number with magnitude larger than supported range",
            "",
        ),
        (
            r#"{"N":"1e-131"}"#,
            "Number underflow. Attempting to store a number with magnitude smaller than supported range",
            "",
        ),
        (
            r#"{"N":"1e2147483647"}"#,
            "Number overflow. Attempting to store a number with magnitude larger than supported range",
            "Number underflow. Attempting to store a number with magnitude smaller than supported range",
        ),
        (
            r#"{"N":"1e99999999999"}"#,
            "Number overflow. Attempting to store a number with magnitude larger than supported range",
            "#: 1e99999999999",
        ),
        // Several types: an empty set, then a number, then a false NULL, then that there are several.
        (r#"{"N":"x","NULL":false,"SS":[]}"#, "=An string set  may not be empty", ""),
        (r#"{"NULL":false,"N":"x"}"#, "#: x", ""),
        (r#"{"S":"a","NULL":false}"#, "=Null attribute value types must have the value of true", ""),
    ];
    for (value, current, older) in cases {
        for (layer, words) in
            [(Layer::Current, current), (Layer::Older, if older.is_empty() { current } else { older })]
        {
            let words = match words.as_bytes()[0] {
                b'=' => format!("{INVALID}{}", &words[1..]),
                b'#' => format!("{number}{}", &words[1..]),
                _ => words.to_owned(),
            };
            for (body, at) in [
                (format!(r#"{{"Item":{{"a":{value}}}}}"#), ".Item/a"),
                (format!(r#"{{"Item":{{"a":{{"L":[{{"S":"x"}},{value}]}}}}}}"#), ".Item/a[1]"),
                (format!(r#"{{"Item":{{"a":{{"M":{{"b":{value}}}}}}}}}"#), ".Item/a/b"),
                (
                    format!(r#"{{"ExpressionAttributeValues":{{":v":{value}}}}}"#),
                    ".ExpressionAttributeValues/:v",
                ),
                (
                    format!(r#"{{"Expected":{{"e":{{"AttributeValueList":[{value}]}}}}}}"#),
                    ".Expected/e.AttributeValueList[0]",
                ),
            ] {
                assert_eq!(put_faults(&body, layer), [(at.to_owned(), words.clone())], "{body} on {layer:?}");
            }
        }
    }
}

#[test]
fn a_repeat_is_one_after_unescaping() {
    let [(_, words)] = &put_faults(r#"{"Item":{"a":{"SS":["\u0061","a"]}}}"#, Layer::Older)[..] else {
        panic!()
    };
    assert_eq!(
        words,
        "One or more parameter values were invalid: Input collection [a, a] contains duplicates."
    );
}

#[test]
fn faults_come_in_the_order_of_the_text_and_leave_null_behind() {
    let body = r##"{"Item":{"z":{"N":"x"},"":{"S":"gone"},"a":{"L":[{"SS":[]},{"S":"kept"}]}},
        "ExpressionAttributeNames":{"#n":"","#m":"m"},"ExpressionAttributeValues":{":v":{}}}"##;
    let request = decode::<PutItemRequest>(body.as_bytes(), Layer::Current).unwrap();
    let places: Vec<String> = request.faults.iter().map(place).collect();
    assert_eq!(places, [".Item/z", ".Item/", ".Item/a[0]", ".ExpressionAttributeValues/:v"]);
    let item = Item::from_iter([
        ("z", AttributeValue::Null),
        ("a", AttributeValue::L(vec![AttributeValue::Null, AttributeValue::s("kept")])),
    ]);
    assert_eq!(request.item, Some(item));
    let names: Vec<(String, String)> = vec![("#n".into(), String::new()), ("#m".into(), "m".into())];
    assert_eq!(request.expression_attribute_names, Some(names));
    assert_eq!(request.expression_attribute_values, Some(vec![(":v".into(), AttributeValue::Null)]));
}

#[test]
fn empty_names_are_faults_within_items_and_values() {
    let empty = "Empty attribute name";
    let of = |body: &str| put_faults(body, Layer::Current);
    assert_eq!(of(r#"{"Item":{"a":{"M":{"":{"S":"x"}}}}}"#), [(".Item/a/".into(), empty.into())]);
    assert_eq!(of(r#"{"Expected":{"":{"Exists":false}}}"#), []);
    assert_eq!(
        of(r#"{"Expected":{"e":{"Value":{"M":{"":{"S":"x"}}}}}}"#),
        [(".Expected/e.Value/".into(), empty.into())]
    );
}

/// `levels` lists around a string, that one included.
fn nested(levels: usize) -> String {
    format!("{}{{\"S\":\"x\"}}{}", "{\"L\":[".repeat(levels - 1), "]}".repeat(levels - 1))
}

#[test]
fn values_nest_as_deep_as_their_place_allows() {
    type Levels = fn(&str) -> usize;
    fn count<R: Request>(body: &str, faults: fn(&R) -> &Faults) -> usize {
        faults_of::<R>(body, Layer::Current, faults).len()
    }
    let put: Levels = |body| count::<PutItemRequest>(body, |request| &request.faults);
    let scan: Levels = |body| count::<ScanRequest>(body, |request| &request.faults);
    let query: Levels = |body| count::<QueryRequest>(body, |request| &request.faults);
    let transact: Levels = |body| count::<TransactWriteItemsRequest>(body, |request| &request.faults);
    let cases = [
        (put, r#"{"Item":{"a":@}}"#, 32),
        (put, r#"{"ExpressionAttributeValues":{":a":@}}"#, 32),
        (put, r#"{"Expected":{"a":{"Value":@}}}"#, 32),
        (query, r#"{"QueryFilter":{"a":{"AttributeValueList":[@]}}}"#, 32),
        (query, r#"{"ExclusiveStartKey":{"a":@}}"#, 32),
        (scan, r#"{"ScanFilter":{"a":{"AttributeValueList":[@]}}}"#, 33),
        (scan, r#"{"ExclusiveStartKey":{"a":@}}"#, 32),
        (scan, r#"{"ExpressionAttributeValues":{":a":@}}"#, 32),
        (transact, r#"{"TransactItems":[{"Put":{"Item":{"a":@}}}]}"#, 32),
        (transact, r#"{"TransactItems":[{"Delete":{"Key":{"a":@}}}]}"#, 32),
        (transact, r#"{"TransactItems":[{"Update":{"ExpressionAttributeValues":{":a":@}}}]}"#, 33),
    ];
    for (count, body, most) in cases {
        assert_eq!(count(&body.replace('@', &nested(most))), 0, "{body} at {most}");
        assert_eq!(count(&body.replace('@', &nested(most + 1))), 1, "{body} past {most}");
        assert_eq!(count(&body.replace('@', &nested(2000))), 1, "{body} far past {most}");
    }
    let too_far = r#"{"Item":{"a":@}}"#.replace('@', &nested(5000));
    assert_eq!(refusal::<PutItemRequest>(&too_far), "-");
}

#[test]
fn a_body_of_faults_is_not_multiplied() {
    let body = format!(r#"{{"Item":{{"a":{{"L":[{}{{}}]}}}}}}"#, "{},".repeat(100_000));
    assert_eq!(put_faults(&body, Layer::Current).len(), super::MOST_FAULTS);
}

#[test]
fn what_aws_bends_to_a_type_is_bent() {
    let query = |body: &str| decode::<QueryRequest>(body.as_bytes(), Layer::Current).unwrap();
    for (text, limit) in [
        ("1.5", 1),
        ("0.5", 0),
        ("-0.5", 0),
        ("-0", 0),
        ("4294967296", i32::MAX),
        ("-4294967296", i32::MIN),
        ("1e3", 1000),
        ("1e999", i32::MAX),
        ("123456789012345678901234567890123456789012345678901234567890", i32::MAX),
    ] {
        assert_eq!(query(&format!(r#"{{"Limit":{text}}}"#)).limit, Some(limit), "{text}");
    }
    for (text, value) in [
        (r#""true""#, true),
        (r#""T""#, true),
        (r#""Yes""#, true),
        (r#""y""#, true),
        (r#""1""#, true),
        (r#""FALSE""#, false),
        (r#""f""#, false),
        (r#""no""#, false),
        (r#""N""#, false),
        (r#""0""#, false),
    ] {
        let request =
            query(&format!(r#"{{"ConsistentRead":{text},"ExclusiveStartKey":{{"a":{{"BOOL":{text}}}}}}}"#));
        assert_eq!(request.consistent_read, Some(value), "{text}");
        assert_eq!(
            request.exclusive_start_key.unwrap().get("a"),
            Some(&AttributeValue::Bool(value)),
            "{text}"
        );
        assert!(request.faults.is_empty());
    }
}

#[test]
fn null_is_absent_and_the_unknown_is_ignored() {
    let body = r#"{"TableName":null,"Item":{"a":{"S":"x","N":null,"Z":[1]}},"Nothing":{"deep":[{}]},"ReturnValues":"NONE"}"#;
    let request = decode::<PutItemRequest>(body.as_bytes(), Layer::Current).unwrap();
    assert_eq!(request.table_name, None);
    assert_eq!(request.item.unwrap().get("a"), Some(&AttributeValue::s("x")));
    assert!(request.return_values.is_some() && request.faults.is_empty());
}

/// Measured by others on AWS, 2026.
#[test]
fn some_forms_hand_a_whole_request_to_the_older_layer() {
    let put = |body: &str| {
        let request = decode::<PutItemRequest>(body.as_bytes(), Layer::Current).unwrap();
        request.faults.are_of_older_layer()
    };
    let query = |body: &str| {
        let request = decode::<QueryRequest>(body.as_bytes(), Layer::Current).unwrap();
        request.faults.are_of_older_layer()
    };
    let item = |value: &str| put(&format!(r#"{{"Item":{{"a":{value}}}}}"#));
    let cases = [
        (item(r#"{"BOOL":"true"}"#), true),
        (item(r#"{"L":[{"NULL":"t"}]}"#), true),
        (item(r#"{"S":"a","N":"1"}"#), true),
        (item(r#"{"S":"a","N":null,"X":1}"#), false),
        (item(r#"{"BOOL":false}"#), false),
        (item(r#"{"NULL":false}"#), false),
        (item(r#"{"N":"x"}"#), false),
        (item(&nested(63)), false),
        (item(&nested(64)), true),
        (put(r#"{"Expected":{"a":{"Exists":"false"}}}"#), true),
        (put(r#"{"Expected":{"a":{"Exists":false}},"X":1}"#), false),
        (query(r#"{"Limit":1.5}"#), true),
        (query(r#"{"Limit":4294967296}"#), true),
        (query(r#"{"Limit":1e2}"#), false),
        (query(r#"{"ConsistentRead":"true"}"#), false),
    ];
    for (at, (is_older, expected)) in cases.into_iter().enumerate() {
        assert_eq!(is_older, expected, "case {at}");
    }
}

#[test]
fn of_a_key_given_twice_the_last_stays() {
    let body =
        r##"{"ExpressionAttributeNames":{"#a":"x","#b":"y","#a":"z"},"TableName":"a","TableName":"b"}"##;
    let request = decode::<GetItemRequest>(body.as_bytes(), Layer::Current).unwrap();
    assert_eq!(request.table_name.as_deref(), Some("b"));
    let names: Vec<(String, String)> = vec![("#b".into(), "y".into()), ("#a".into(), "z".into())];
    assert_eq!(request.expression_attribute_names, Some(names));
}

#[test]
fn every_action_of_a_transaction_has_its_own_members() {
    let body = r#"{"TransactItems":[{"Put":{"TableName":"t","Item":{"a":{"S":"x"}},"Key":{"b":{"S":"ignored"}}}},
        {"Delete":{"Key":{"a":{"S":"x"}}}},{"Update":{"UpdateExpression":"SET b = :b"}},
        {"ConditionCheck":{"ConditionExpression":"c"}}],"ClientRequestToken":"t"}"#;
    let request = decode::<TransactWriteItemsRequest>(body.as_bytes(), Layer::Older).unwrap();
    let items = request.transact_items.unwrap();
    let put = items[0].put.as_ref().unwrap();
    assert!(put.item.is_some() && put.key.is_none());
    assert!(items[1].delete.as_ref().unwrap().key.is_some());
    assert_eq!(items[2].update.as_ref().unwrap().update_expression.as_deref(), Some("SET b = :b"));
    assert_eq!(items[3].condition_check.as_ref().unwrap().condition_expression.as_deref(), Some("c"));
    assert_eq!(request.client_request_token.as_deref(), Some("t"));
}

/// JSON that is now and then a request: the keys are those that requests have, and the scalars those that matter.
fn any_json() -> impl Strategy<Value = String> {
    const KEYS: &[&str] = &[
        "TableName",
        "Item",
        "Key",
        "Expected",
        "ExpressionAttributeValues",
        "ExpressionAttributeNames",
        "TransactItems",
        "Put",
        "Update",
        "RequestItems",
        "PutRequest",
        "Limit",
        "ConsistentRead",
        "AttributesToGet",
        "ScanFilter",
        "AttributeValueList",
        "Value",
        "S",
        "N",
        "B",
        "BOOL",
        "NULL",
        "L",
        "M",
        "SS",
        "NS",
        "BS",
        "",
        "a",
        "\\u0053",
        "Keys",
    ];
    const SCALARS: &[&str] = &[
        "null",
        "true",
        "false",
        "0",
        "-1.5",
        "1e400",
        "99999999999",
        r#""""#,
        r#""a""#,
        r#""12""#,
        r#""1e200""#,
        r#""AA==""#,
        r#""\u00e9\"""#,
        r#""yes""#,
        r#""\ud800""#,
    ];
    let scalar = proptest::sample::select(SCALARS).prop_map(str::to_owned);
    scalar.prop_recursive(7, 60, 5, |inner| {
        let key = proptest::sample::select(KEYS);
        prop_oneof![
            2 => proptest::collection::vec(inner.clone(), 0..4).prop_map(|list| format!("[{}]", list.join(","))),
            5 => proptest::collection::vec((key, inner), 0..4).prop_map(|entries| {
                let entries: Vec<String> = entries.into_iter().map(|(key, v)| format!("\"{key}\": {v}")).collect();
                format!("{{{}}}", entries.join(","))
            }),
        ]
    })
}

/// A value of the strict form, mostly.
fn any_value() -> impl Strategy<Value = String> {
    const SCALARS: &[&str] = &[
        r#"{"S":"a\n"}"#,
        r#"{"N":"-1.50"}"#,
        r#"{"B":"AAE="}"#,
        r#"{"BOOL":true}"#,
        r#"{"NULL":true}"#,
        r#"{"SS":["b","a"]}"#,
        r#"{"NS":["2","1"]}"#,
        r#"{"BS":["AA=="]}"#,
        r#"{"N":"x"}"#,
        r#"{"SS":["a","a"]}"#,
        r#"{"BOOL":"t"}"#,
        r#"{"S":"a","N":null}"#,
        r#"{}"#,
        r#"{"NULL":false}"#,
    ];
    proptest::sample::select(SCALARS).prop_map(str::to_owned).prop_recursive(4, 20, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4)
                .prop_map(|list| format!(r#"{{"L":[{}]}}"#, list.join(","))),
            proptest::collection::vec(("[a-c]?", inner), 0..4).prop_map(|entries| {
                let entries: Vec<String> =
                    entries.into_iter().map(|(key, v)| format!("\"{key}\":{v}")).collect();
                format!(r#"{{"M":{{{}}}}}"#, entries.join(","))
            }),
        ]
    })
}

/// Holds the two readers against each other.
fn compare<R: Request + Debug>(body: &[u8], faults: fn(&R) -> &Faults) -> Result<(), TestCaseError> {
    let strict: Option<R> = decode_strict(body);
    let again: Result<R, ApiError> = decode_again(body, Layer::Current);
    let text = String::from_utf8_lossy(body).into_owned();
    match (&strict, &again) {
        (Some(strict), Ok(again)) => prop_assert_eq!(format!("{strict:?}"), format!("{again:?}"), "{}", text),
        (Some(_), Err(error)) => {
            prop_assert!(false, "strict takes what the walk refuses: {} {}", text, error)
        }
        (None, Ok(request)) if faults(request).is_empty() => {
            // Not strict, and yet without fault: then the walk has bent or dropped something.
            let (rewritten, _) =
                super::rewrite(body, R::SHAPE, dynamometer_types::number::Reader::Stored).unwrap();
            prop_assert_ne!(rewritten, body, "{}", text);
        }
        _ => {}
    }
    Ok(())
}

fn compare_all(body: &[u8]) -> Result<(), TestCaseError> {
    compare::<PutItemRequest>(body, |request| &request.faults)?;
    compare::<ScanRequest>(body, |request| &request.faults)?;
    compare::<BatchGetItemRequest>(body, |request| &request.faults)?;
    compare::<BatchWriteItemRequest>(body, |request| &request.faults)?;
    compare::<TransactWriteItemsRequest>(body, |request| &request.faults)
}

proptest! {
    #[test]
    fn both_readers_agree_on_anything(body in any_json()) {
        compare_all(body.as_bytes())?;
    }

    #[test]
    fn both_readers_agree_on_items(value in any_value()) {
        compare_all(format!(r#"{{"TableName":"t","Item":{{"a":{value}}}}}"#).as_bytes())?;
        compare_all(format!(r#"{{"TransactItems":[{{"Put":{{"Item":{{"a":{value}}}}}}}]}}"#).as_bytes())?;
    }

    #[test]
    fn bytes_of_any_kind_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
        compare_all(&bytes)?;
    }

    #[test]
    fn a_damaged_request_never_panics(at in 0usize..200, byte in any::<u8>(), cut in any::<bool>()) {
        let mut body = br#"{"TableName":"t","Item":{"a":{"L":[{"S":"\u00e9"},{"NS":["1","2"]},{"BOOL":true}]}},"Expected":{"a":{"Exists":false}},"Limit":1}"#.to_vec();
        let at = at % body.len();
        if cut { body.truncate(at) } else { body[at] = byte }
        compare_all(&body)?;
    }
}
