"""The clock, which these tests move."""

import pytest

from helpers import own


@pytest.fixture
def advance(endpoint):
    def advance(by):
        status, answer = own(endpoint, "/_dyno/clock", {"advance": by})
        assert status == 200, answer

    return advance
