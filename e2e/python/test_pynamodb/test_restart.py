"""Models written before a kill are there after the restart."""

import os

from test_pynamodb.models import Document, Order

HALF = os.environ.get("DYNO_RESTART")


def test_half():
    assert HALF in ("before", "after"), "DYNO_RESTART says which half this is"
    if HALF == "before":
        Order.create_table(wait=True)
        Document.create_table(wait=True)
        with Order.batch_write() as batch:
            for number in range(60):
                batch.save(Order("ann", f"o{number:02}", status="open" if number % 2 else None, total=number))
        Document("readme", text="one").save()
    else:
        document = Document.get("readme")
        document.text = "two"
        document.save()
        assert Document.get("readme").version == 2
    assert [order.total for order in Order.query("ann")] == list(range(60))
    assert [order.total for order in Order.by_status.query("open")] == list(range(1, 60, 2))
