"""Documents that several tests read, made once."""

import pytest
from sympy import Rational

from asympt.architectures.feedforward import FeedForward
from asympt.writing import document


@pytest.fixture(scope="session")
def relu():
    """The document of the repository's derivation."""
    return document(FeedForward("relu"), figure_name="hdr-theorem-1-relu-ntk-figure.pdf")


@pytest.fixture(scope="session")
def leaky():
    """Another slope."""
    return document(FeedForward("leaky_relu", slope=Rational(1, 10)))
