"""What the user gives to a residual network, read and refused in one place.

Rule.  Standard deviations are exact numbers (`numbers.exact`); those that multiply weights must be positive, those of
biases must not be negative; symbols are left to the laws.  A phi that is one straight line moves no correlation.

Tiny case.  sigma_w = 0 is refused: the branch would be switched off, and the network would be one layer deep.
"""

from sympy import Expr

from asympt.errors import InputError, UnsupportedError
from asympt.meanfield.activations import Activation
from asympt.numbers import exact


def positive(value, name: str, what: str) -> Expr:
    """The exact value; `InputError` unless it is a positive number or a symbol."""
    found = exact(value, name)
    if found.is_number and not found > 0:
        raise InputError(f"{name} = {found} is not positive; give {what}")
    return found


def not_negative(value, name: str, what: str) -> Expr:
    """The exact value; `InputError` if it is a negative number."""
    found = exact(value, name)
    if found.is_number and not found >= 0:
        raise InputError(f"{name} = {found} is negative; give {what}")
    return found


def require_nonlinear(phi: Activation) -> None:
    """`UnsupportedError` for a phi with which the correlation does not move."""
    if phi.is_linear:
        what = "constant" if phi.is_constant else "one straight line"
        raise UnsupportedError(
            f"activation {phi.name!r} is {what}, so the correlation of a residual network has no depth law; take a "
            "nonlinear activation"
        )
