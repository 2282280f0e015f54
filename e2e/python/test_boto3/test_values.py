"""Every type there and back through the resource interface, which speaks Decimal, Binary and set."""

from decimal import Decimal

import pytest
from boto3.dynamodb.types import Binary

from helpers import SIMPLE, refused, strings


@pytest.fixture(scope="module")
def items(resource, make_module_table):
    return resource.Table(make_module_table(SIMPLE))


@pytest.mark.parametrize(
    "value",
    [
        "text",
        "",
        "日本 😀 \x00 end",
        Decimal("0"),
        Decimal("-17.5"),
        Decimal("12345678901234567890123456789012345678"),
        Decimal("0.00000000000000000000000000000000000001"),
        Decimal("1E-130"),
        True,
        False,
        None,
        Binary(bytes(range(256))),
        Binary(b""),
        [],
        {},
        ["a", Decimal(1), None, True, ["deep", {"k": Binary(b"\x00")}]],
        {"a": {"b": {"c": [Decimal("1.5")]}}},
        {"a", "b", ""},
        {Decimal(1), Decimal("2.5"), Decimal(-3)},
        {Binary(b"1"), Binary(b"22")},
    ],
    ids=lambda value: type(value).__name__ + ":" + repr(value)[:24].encode("unicode_escape").decode(),
)
def test_there_and_back(items, value):
    items.put_item(Item={"pk": "v", "value": value})
    got = items.get_item(Key={"pk": "v"})["Item"]["value"]
    assert got == value
    assert type(got) is type(value)


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        ("00042", "42"),
        ("3.1400", "3.14"),
        ("1.5E2", "150"),
        ("-0", "0"),
        ("+5", "5"),
        (".5", "0.5"),
        ("1E-7", "0.0000001"),
        ("1E125", "1" + "0" * 125),
    ],
)
def test_numbers_are_printed_plainly(client, items, sent, stored):
    """Measured: leading zeros, trailing fraction zeros, exponents and -0 are not kept."""
    client.put_item(TableName=items.name, Item={"pk": {"S": "n"}, "n": {"N": sent}})
    assert client.get_item(TableName=items.name, Key=strings(pk="n"))["Item"]["n"] == {"N": stored}


def test_set_members_come_back_in_order(client, items):
    item = {"pk": {"S": "s"}, "ss": {"SS": ["b", "a", "C"]}, "ns": {"NS": ["10", "9", "-1", "1.5"]}}
    client.put_item(TableName=items.name, Item=item)
    got = client.get_item(TableName=items.name, Key=strings(pk="s"))["Item"]
    # GetItem sorts strings by bytes and numbers by value (measured).
    assert got["ss"] == {"SS": ["C", "a", "b"]}
    assert got["ns"] == {"NS": ["-1", "1.5", "9", "10"]}


ENVELOPE = "1 validation error detected: "
INVALID = "One or more parameter values were invalid: "


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"SS": []}, ENVELOPE + INVALID + "An string set  may not be empty"),
        ({"NS": []}, ENVELOPE + INVALID + "An number set  may not be empty"),
        ({"BS": []}, ENVELOPE + INVALID + "Binary sets should not be empty"),
        ({"SS": ["a", "a"]}, ENVELOPE + INVALID + 'Input collection ["a", "a"] contains duplicates.'),
        ({"NS": ["1", "1.0"]}, ENVELOPE + INVALID + "Input collection contains duplicates."),
        ({"NULL": False}, ENVELOPE + INVALID + "Null attribute value types must have the value of true"),
    ],
    ids=["SS", "NS", "BS", "duplicate strings", "duplicate numbers", "NULL false"],
)
def test_values_that_cannot_be_stored(client, items, value, message):
    """Measured on the request-validation layer that most regions run."""
    refused(
        "ValidationException", message, client.put_item, TableName=items.name, Item={"pk": {"S": "x"}, "v": value}
    )
