"""Every kind, phase and architecture: text, constants, values and verdicts are those of the golden table.

The table says what the toolkit said when it was made, not what is true: its values are held against independent routes
elsewhere.  It guards a change of the code that is not meant to change any answer, and is looked at before all else.
"""

import pytest

from tests.golden.record import record
from tests.golden.regenerate import read
from tests.golden.rows import ROWS

TABLE = read()


def test_the_table_is_whole():
    assert list(TABLE) == list(ROWS)


@pytest.mark.parametrize("name", ROWS)
def test_a_law_is_what_it_was(name):
    assert record(ROWS[name]) == TABLE[name]
