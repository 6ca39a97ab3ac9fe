"""The errors a user can meet: each message is one sentence with the value, the rule and the remedy."""


LONGEST_VALUE = 600


class AsymptError(ValueError):
    """Base of every error raised on purpose by asympt.

    The message is one line of limited length, with ^ for powers, whatever value it shows.

    >>> str(AsymptError("start = [[1 0]\\n [0 x**2]] is not a number"))
    'start = [[1 0] [0 x^2]] is not a number'
    """

    def __str__(self) -> str:
        line = " ".join(super().__str__().replace("**", "^").split())
        return line if len(line) <= 2 * LONGEST_VALUE else f"{line[:LONGEST_VALUE]} ... {line[-LONGEST_VALUE:]}"


class InputError(AsymptError):
    """The input breaks a rule (unknown name, value out of range, unreadable text)."""


class UnsupportedError(AsymptError):
    """The input is legal, but the requested result does not exist or is not derived yet."""


class NoValueError(UnsupportedError):
    """A formula has no number at a point: a pole, a place outside its domain, a value beyond every range."""


class OverrunError(UnsupportedError):
    """The work took longer than its budget of time."""


class PrecisionError(AsymptError):
    """The requested digits could not be certified; no number is returned instead."""


def with_remedy(error: InputError, remedy: str) -> InputError:
    """The same complaint with the remedy that fits where the value was given.

    >>> with_remedy(InputError("depth = 'x' is not a number; give 1/10"), "give a layer")
    InputError("depth = 'x' is not a number; give a layer")
    """
    return InputError(f"{str(error).partition(';')[0]}; {remedy}")
