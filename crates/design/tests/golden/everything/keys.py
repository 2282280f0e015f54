"""Keys of すべて \"all\".

Written by dyno design generate from everything.yaml: change that file instead.
"""

from __future__ import annotations

from typing import NewType, TypedDict

TheId = NewType("TheId", str)
Seq = NewType("Seq", int)
Date = NewType("Date", str)
Type = NewType("Type", str)
注文番号 = NewType("注文番号", str)
Tenant = NewType("Tenant", str)
Region = NewType("Region", str)
Level = NewType("Level", int)
Note = NewType("Note", str)

AppTable1Key = TypedDict("AppTable1Key", {"PK": str, "seq": int})

ByDateKey = TypedDict("ByDateKey", {"PK": str, "date": str})

GSI1Key = TypedDict("GSI1Key", {"type": str, "n": int})

ByTenantKey = TypedDict("ByTenantKey", {"tenant": str, "region": str, "level": int, "note": str})


def thing_in_braces_key(the_id: TheId, seq: Seq) -> AppTable1Key:
    """The key of thing in {braces} in App.Table-1: T#{<the id>} / <seq>."""
    return {
        "PK": f"T#{{{the_id}}}",
        "seq": seq,
    }


def thing_in_braces_by_date_key(the_id: TheId, date: Date) -> ByDateKey:
    """The key of thing in {braces} in byDate: T#{<the id>} / <date>."""
    return {
        "PK": f"T#{{{the_id}}}",
        "date": date,
    }


def thing_in_braces_gsi_1_key(type2: Type) -> GSI1Key:
    """The key of thing in {braces} in GSI.1: $<type> / 5."""
    return {
        "type": f"${type2}",
        "n": 5,
    }


def 注文_key(注文番号: 注文番号, seq: Seq) -> AppTable1Key:
    """The key of 注文 in App.Table-1: 注文#<注文番号> / <seq>."""
    return {
        "PK": f"注文#{注文番号}",
        "seq": seq,
    }


def say_no_or_key(tenant: Tenant, seq: Seq) -> AppTable1Key:
    """The key of say \"\"\"no\"\"\" \\\\ or * / in App.Table-1: S#<tenant> / <seq>."""
    return {
        "PK": f"S#{tenant}",
        "seq": seq,
    }


def say_no_or_by_tenant_key(tenant: Tenant, region: Region, level: Level, note: Note) -> ByTenantKey:
    """The key of say \"\"\"no\"\"\" \\\\ or * / in byTenant: <tenant> / <region> / <level> / <note>."""
    return {
        "tenant": tenant,
        "region": region,
        "level": level,
        "note": note,
    }
