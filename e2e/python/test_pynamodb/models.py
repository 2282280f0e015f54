"""The models of a small shop, as a PynamoDB user writes them."""

import os
from datetime import datetime, timedelta, timezone

from pynamodb.attributes import (
    BinaryAttribute,
    BooleanAttribute,
    JSONAttribute,
    ListAttribute,
    MapAttribute,
    NumberAttribute,
    NumberSetAttribute,
    TTLAttribute,
    UnicodeAttribute,
    UnicodeSetAttribute,
    UTCDateTimeAttribute,
    VersionAttribute,
)
from pynamodb.indexes import AllProjection, GlobalSecondaryIndex, KeysOnlyProjection, LocalSecondaryIndex
from pynamodb.models import Model


class Connected:
    """How every model reaches the server, without retries."""

    host = os.environ.get("DYNO_ENDPOINT")
    region = "us-east-1"
    billing_mode = "PAY_PER_REQUEST"
    max_retry_attempts = 0


class ByStatus(GlobalSecondaryIndex):
    class Meta:
        index_name = "by-status"
        projection = AllProjection()

    status = UnicodeAttribute(hash_key=True)
    total = NumberAttribute(range_key=True)


class ByTotal(LocalSecondaryIndex):
    class Meta:
        index_name = "by-total"
        projection = KeysOnlyProjection()

    customer = UnicodeAttribute(hash_key=True)
    total = NumberAttribute(range_key=True)


class Address(MapAttribute):
    street = UnicodeAttribute()
    number = NumberAttribute(null=True)


class Order(Model):
    class Meta(Connected):
        table_name = "pynamodb-orders"

    customer = UnicodeAttribute(hash_key=True)
    order = UnicodeAttribute(range_key=True)
    status = UnicodeAttribute(null=True)
    total = NumberAttribute(default=0)
    paid = BooleanAttribute(default=False)
    placed = UTCDateTimeAttribute(default=lambda: datetime(2026, 6, 1, tzinfo=timezone.utc))
    address = Address(null=True)
    lines = ListAttribute(default=list)
    tags = UnicodeSetAttribute(null=True)
    sizes = NumberSetAttribute(null=True)
    photo = BinaryAttribute(null=True, legacy_encoding=False)
    extra = JSONAttribute(null=True)
    by_status = ByStatus()
    by_total = ByTotal()


class Document(Model):
    """A model whose saves are guarded by a version."""

    class Meta(Connected):
        table_name = "pynamodb-documents"

    name = UnicodeAttribute(hash_key=True)
    text = UnicodeAttribute()
    version = VersionAttribute()


class Session(Model):
    class Meta(Connected):
        table_name = "pynamodb-sessions"

    token = UnicodeAttribute(hash_key=True)
    expires = TTLAttribute(default_for_new=timedelta(hours=1))


ALL = (Order, Document, Session)
