"""The README's way from nothing to a load-tested design, command by command, and what a newcomer may do wrong on it."""

import json
import pathlib

import pytest

from program import dyno, refused, serve

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("kind", ["--single-table", "--two-table"])
def test_from_nothing_to_a_load_tested_design(kind, tmp_path):
    design = tmp_path / "app.yaml"
    dyno("design", "new", design, kind)
    assert "not servable" not in dyno("design", "check", design)
    # One code path, under two names.
    assert dyno("design", "cost", design) == dyno("cost", "--design", design)
    with serve("--design", design) as endpoint:
        at = ["--endpoint", endpoint]
        assert "dev-" in dyno("deploy", "--design", design, "--parameter", "Prefix=dev", *at)
        load = ["load", "--design", design, "--prefix", "dev", *at, "--fill", "--items", 100, "--duration", "1s"]
        rows = json.loads(dyno(*load, "--scale", 5, "--json"))["patterns"]
        assert sum(row["done"] for row in rows) > 0
        assert all(row["errors"] == {} and row["done"] == row["asked"] for row in rows)
        coverage = dyno("design", "coverage", design, *at, "--fail-on", "uncovered,scan", "--json")
        assert json.loads(coverage)["coverage"]["uncovered"] == []
        assert "dev-" in dyno("report", *at)


def test_a_design_with_errors_is_deployed_only_when_told_so():
    design = ROOT / "examples/orders.yaml"
    with serve() as endpoint:
        deploy = ["deploy", "--design", design, "--parameter", "Prefix=dev", "--endpoint", endpoint]
        said = refused(*deploy, code=1)
        assert "the check finds 4 errors" in said and "--despite-errors" in said
        assert "1 table: 1 new" in dyno(*deploy, "--despite-errors")
        assert "1 table" in dyno(*deploy, "--despite-errors", "--dry-run")


def test_a_clock_that_nobody_moves_is_told(tmp_path):
    design = tmp_path / "app.yaml"
    dyno("design", "new", design)
    with serve("--clock", "manual", "--table-delay", "3s") as endpoint:
        said = refused("deploy", "--design", design, "-p", "Prefix=dev", "--endpoint", endpoint, code=1)
        assert "stands still" in said and "/_dyno/clock" in said
