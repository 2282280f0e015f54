"""PynamoDB's everyday work: models, indexes, conditions, batches, transactions, TTL."""

from datetime import datetime, timedelta, timezone

import pytest
from pynamodb.connection import Connection
from pynamodb.exceptions import DeleteError, DoesNotExist, PutError, TableDoesNotExist, TransactWriteError, UpdateError
from pynamodb.transactions import TransactGet, TransactWrite

from test_pynamodb.models import ALL, Address, Document, Order, Session


@pytest.fixture(autouse=True)
def tables():
    """Fresh tables for every test."""
    for model in ALL:
        model.create_table(wait=True)
    yield
    for model in ALL:
        model.delete_table()


def test_save_and_get_every_attribute():
    order = Order(
        "ann",
        "o1",
        status="open",
        total=12.5,
        paid=True,
        address=Address(street="Main", number=7),
        lines=["a", 1, {"k": None}],
        tags={"x", "y"},
        sizes={1, 2.5},
        photo=b"\x00\xff",
        extra={"any": ["json", 1]},
    )
    order.save()
    got = Order.get("ann", "o1", consistent_read=True)
    assert got.serialize() == order.serialize()
    assert got.placed == datetime(2026, 6, 1, tzinfo=timezone.utc)
    assert (got.address.street, got.address.number) == ("Main", 7)
    assert (got.tags, got.sizes, got.photo) == ({"x", "y"}, {1, 2.5}, b"\x00\xff")
    with pytest.raises(DoesNotExist):
        Order.get("ann", "none")


def test_existence_and_description():
    assert Order.exists()
    described = Order.describe_table()
    assert described["TableStatus"] == "ACTIVE"
    assert described["GlobalSecondaryIndexes"][0]["IndexName"] == "by-status"
    assert described["LocalSecondaryIndexes"][0]["IndexName"] == "by-total"


def test_conditions_on_save_and_delete():
    Order("ann", "o1", total=5).save(Order.customer.does_not_exist())
    with pytest.raises(PutError) as caught:
        Order("ann", "o1", total=6).save(Order.customer.does_not_exist())
    assert caught.value.cause_response_code == "ConditionalCheckFailedException"
    assert caught.value.cause_response_message == "The conditional request failed"
    order = Order.get("ann", "o1")
    with pytest.raises(DeleteError):
        order.delete(Order.total > 5)
    order.delete((Order.total <= 5) & Order.order.startswith("o"))
    assert Order.count("ann") == 0


def test_update_actions():
    order = Order("ann", "o1", total=5, lines=["a"], tags={"x", "y"}, address=Address(street="Main"))
    order.save()
    order.update(
        actions=[
            Order.total.set(Order.total + 10),
            Order.lines.set(Order.lines.append(["b"])),
            Order.address.number.set(9),
            Order.tags.delete({"x"}),
            Order.status.set(Order.status | "open"),
            Order.sizes.add({4}),
        ],
        condition=Order.total == 5,
    )
    got = Order.get("ann", "o1")
    assert (got.total, got.lines, got.address.number, got.tags, got.status, got.sizes) == (
        15,
        ["a", "b"],
        9,
        {"y"},
        "open",
        {4},
    )
    with pytest.raises(UpdateError):
        order.update(actions=[Order.status.remove()], condition=Order.total == 5)


def test_queries_of_the_table_and_both_indexes():
    with Order.batch_write() as batch:
        for number in range(40):
            status = ("open", "paid", None)[number % 3]
            batch.save(Order(f"c{number % 2}", f"o{number:02}", status=status, total=number))
    assert Order.count() == 40
    newest = Order.query("c0", Order.order.startswith("o"), scan_index_forward=False, limit=3)
    assert [order.order for order in newest] == ["o38", "o36", "o34"]
    cheap = Order.query("c1", filter_condition=Order.total < 6)
    assert [order.total for order in cheap] == [1, 3, 5]
    paid = Order.by_status.query("paid", Order.total.between(10, 20))
    assert [order.total for order in paid] == [10, 13, 16, 19]
    assert Order.by_status.count("open") == 14
    dear = list(Order.by_total.query("c0", Order.total > 35))
    assert [order.order for order in dear] == ["o36", "o38"]
    assert {order.total for order in Order.scan(Order.total.is_in(3, 9, 99))} == {3, 9}


def test_pages_can_be_resumed():
    with Order.batch_write() as batch:
        for number in range(25):
            batch.save(Order("ann", f"o{number:02}"))
    first = Order.query("ann", limit=10, page_size=4)
    seen = [order.order for order in first]
    rest = Order.query("ann", last_evaluated_key=first.last_evaluated_key, page_size=4)
    seen += [order.order for order in rest]
    assert seen == [f"o{number:02}" for number in range(25)]


def test_batch_get_and_batch_delete():
    with Order.batch_write() as batch:
        for number in range(120):
            batch.save(Order("ann", f"o{number:03}"))
    keys = [("ann", f"o{number:03}") for number in range(0, 240, 2)]
    assert len(list(Order.batch_get(keys))) == 60
    with Order.batch_write() as batch:
        for order in Order.query("ann"):
            batch.delete(order)
    assert Order.count() == 0


def test_versions_guard_against_lost_updates():
    Document("readme", text="one").save()
    mine, theirs = Document.get("readme"), Document.get("readme")
    theirs.text = "theirs"
    theirs.save()
    mine.text = "mine"
    with pytest.raises(PutError):
        mine.save()
    got = Document.get("readme")
    assert (got.text, got.version) == ("theirs", 2)


def test_transactions(endpoint):
    connection = Connection(region="us-east-1", host=endpoint, max_retry_attempts=0)
    Order("ann", "stock", total=3).save()
    with TransactWrite(connection=connection) as transaction:
        transaction.update(Order("ann", "stock"), actions=[Order.total.add(-1)], condition=Order.total >= 1)
        transaction.save(Order("ann", "o1", total=1), condition=Order.customer.does_not_exist())
        transaction.condition_check(Order, "ann", "none", condition=Order.customer.does_not_exist())
    with pytest.raises(TransactWriteError) as caught:
        with TransactWrite(connection=connection) as transaction:
            transaction.update(Order("ann", "stock"), actions=[Order.total.add(-1)])
            transaction.save(Order("ann", "o1", total=1), condition=Order.customer.does_not_exist())
    reasons = [reason and reason.code for reason in caught.value.cancellation_reasons]
    # PynamoDB sends puts before updates.
    assert reasons == ["ConditionalCheckFailed", None]
    with TransactGet(connection=connection) as transaction:
        stock = transaction.get(Order, "ann", "stock")
        order = transaction.get(Order, "ann", "o1")
    assert (stock.get().total, order.get().total) == (2, 1)


def test_time_to_live():
    before = datetime.now(timezone.utc)
    Session("s1").save()
    expires = Session.get("s1").expires
    assert timedelta(minutes=59) < expires - before < timedelta(minutes=61)
    described = Session._get_connection().connection.client.describe_time_to_live(TableName="pynamodb-sessions")
    assert described["TimeToLiveDescription"]["AttributeName"] == "expires"


def test_a_missing_table_is_named():
    Order.delete_table()
    with pytest.raises(TableDoesNotExist) as caught:
        Order.describe_table()
    Order.create_table(wait=True)
    assert "Requested resource not found: Table: pynamodb-orders not found" in str(caught.value)
