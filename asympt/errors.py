"""The errors a user can meet: each message is one sentence with the value, the rule and the remedy.

All of them are `ValueError`s, so ``except ValueError`` catches bad input and unmet requests alike.
"""


class AsymptError(ValueError):
    """Base of every error raised on purpose by asympt."""


class InputError(AsymptError):
    """The input breaks a rule (unknown name, value out of range, unreadable text)."""


class UnsupportedError(AsymptError):
    """The input is legal, but the result asked for does not exist or is not derived yet."""


class PrecisionError(AsymptError):
    """The digits asked for could not be certified; no number is returned instead."""
