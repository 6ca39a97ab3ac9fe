"""Every kind, phase and architecture: text, constants, values and verdicts are those of the golden table.

The table says what the toolkit said when it was made, not what is true: its values are held against independent routes
elsewhere.  It guards a change of the code that is not meant to change any answer.  Slow rows that are not in the table
yet cost a minute each: `python -m tests.golden.regenerate NAME` adds one.
"""

import pytest

from tests.golden.record import record
from tests.golden.regenerate import read
from tests.golden.rows import ROWS, SLOW

TABLE = read()


def test_the_table_has_every_quick_row():
    assert list(TABLE) == [name for name in ROWS if name in TABLE]
    assert set(ROWS) - SLOW <= set(TABLE)


@pytest.mark.parametrize("name", [name for name in TABLE if name not in SLOW])
def test_quick_rows(name):
    assert record(ROWS[name]) == TABLE[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(SLOW & set(TABLE)))
def test_slow_rows(name):
    assert record(ROWS[name]) == TABLE[name]
