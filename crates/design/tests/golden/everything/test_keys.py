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
