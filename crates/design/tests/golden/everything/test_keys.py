"""Written by dyno design generate from everything.yaml: change that file instead."""

import unittest

import keys


class Keys(unittest.TestCase):
    def test_thing_in_braces_key_is_built(self) -> None:
        self.assertEqual(
            keys.thing_in_braces_key(keys.TheId("the id-1"), keys.Seq(7)),
            {
                "PK": "T#{the id-1}",
                "seq": 7,
            },
        )

    def test_thing_in_braces_by_date_key_is_built(self) -> None:
        self.assertEqual(
            keys.thing_in_braces_by_date_key(keys.TheId("the id-1"), keys.Date("date-1")),
            {
                "PK": "T#{the id-1}",
                "date": "date-1",
            },
        )

    def test_thing_in_braces_gsi_1_key_is_built(self) -> None:
        self.assertEqual(
            keys.thing_in_braces_gsi_1_key(keys.Type("type-1")),
            {
                "type": "$type-1",
                "n": 5,
            },
        )

    def test_注文_key_is_built(self) -> None:
        self.assertEqual(
            keys.注文_key(keys.注文番号("注文番号-1"), keys.Seq(7)),
            {
                "PK": "注文#注文番号-1",
                "seq": 7,
            },
        )

    def test_say_no_or_key_is_built(self) -> None:
        self.assertEqual(
            keys.say_no_or_key(keys.Tenant("tenant-1"), keys.Seq(7)),
            {
                "PK": "S#tenant-1",
                "seq": 7,
            },
        )

    def test_say_no_or_by_tenant_key_is_built(self) -> None:
        self.assertEqual(
            keys.say_no_or_by_tenant_key(keys.Tenant("tenant-1"), keys.Region("region-1"), keys.Level(7), keys.Note("note-1")),
            {
                "tenant": "tenant-1",
                "region": "region-1",
                "level": 7,
                "note": "note-1",
            },
        )
