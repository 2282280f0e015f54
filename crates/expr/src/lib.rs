//! DynamoDB expressions and legacy conditions: parse, check, evaluate, apply. Pure.
