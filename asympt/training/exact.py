"""The flow of a small kernel in symbols: what a proof substitutes into the differential equation.

Q = (1 - S)(1 + S)^-1 of a skew-symmetric S is every rotation without the eigenvalue -1, rationally (Cayley), so that
identities of K = Q diag(lambda) Q^T in lambda and S hold for all kernels of the size: 2, or 3 with one rotation.
"""

from dataclasses import dataclass

from sympy import Expr, Integer, Matrix, Rational, cancel, diag, exp, eye, symbols, zeros

from asympt.symbols import Reserved

TIME, SCALE = Reserved("t", positive=True), Reserved("nu", positive=True)  # nu = 1/N, or 1
TURN = Reserved("u", real=True)
LONGEST = 100  # characters, or operations, of a residual that is shown as a formula


@dataclass(frozen=True)
class ExactKernel:
    """K = Q diag(lambda) Q^T in symbols.

    >>> kernel = ExactKernel.general()
    >>> kernel.matrix.is_symmetric(), is_zero(kernel.basis * kernel.basis.T - eye(2))
    (True, True)
    """

    basis: Matrix
    values: tuple[Expr, ...]

    @classmethod
    def general(cls, *values: Expr) -> "ExactKernel":
        """Every 2 x 2 kernel; eigenvalues are positive symbols unless given."""
        return cls(cayley(Matrix([[0, TURN], [-TURN, 0]])), values or symbols("a b", positive=True))

    @classmethod
    def three(cls, *values: Expr) -> "ExactKernel":
        """A 3 x 3 kernel with general eigenvalues and one rational rotation."""
        skew = Matrix([[0, Rational(1, 2), -1], [-Rational(1, 2), 0, 2], [1, -2, 0]])
        return cls(cayley(skew), values or symbols("a b c", positive=True))

    @property
    def size(self) -> int:
        """N."""
        return len(self.values)

    @property
    def matrix(self) -> Matrix:
        """K."""
        return self.function(lambda value: value)

    @property
    def inverse(self) -> Matrix:
        """K^-1, for eigenvalues other than 0."""
        return self.function(lambda value: 1 / value)

    def decay(self, time: Expr = TIME) -> Matrix:
        """e^(-nu K t)."""
        return self.function(lambda value: exp(-SCALE * value * time))

    def function(self, of) -> Matrix:
        """Q diag(of(lambda)) Q^T."""
        return (self.basis * diag(*map(of, self.values)) * self.basis.T).applyfunc(cancel)


def cayley(skew: Matrix) -> Matrix:
    """(1 - S)(1 + S)^-1: a rotation.

    >>> cayley(Matrix([[0, 1], [-1, 0]]))
    Matrix([
    [0, -1],
    [1,  0]])
    """
    one = eye(skew.rows)
    return ((one - skew) * (one + skew).inv()).applyfunc(cancel)


def vector(name: str, size: int) -> Matrix:
    """A column of real symbols name1, name2, ..."""
    return Matrix(symbols(f"{name}1:{size + 1}", real=True))


def is_zero(matrix: Matrix) -> bool:
    """Whether every entry vanishes identically in its symbols and exponentials."""
    return matrix.applyfunc(lambda entry: cancel(entry.expand())) == zeros(*matrix.shape)


def residual_name(matrix: Matrix) -> str:
    """The entries of a residual as text: 0 when they all vanish, numbers when the formulas are long."""
    if is_zero(matrix):
        return "0"
    if sum(entry.count_ops() for entry in matrix) <= LONGEST:
        text = ", ".join(str(cancel(entry.expand())) for entry in matrix)
        if len(text) <= LONGEST:
            return text
    values = {s: Rational(i + 1, 10) for i, s in enumerate(sorted(matrix.free_symbols, key=str))}
    at = ", ".join(f"{symbol} = {value}" for symbol, value in values.items())
    return f"{', '.join(str(entry.subs(values).evalf(6)) for entry in matrix)} at {at}"


def flow_residual(path: Matrix, kernel: Matrix, targets: Matrix, scale: Expr = SCALE) -> Matrix:
    """df/dt + nu K (f - Y): zero for a solution of HDR eq. (7)."""
    return path.diff(TIME) + scale * kernel * (path - targets)


def at_start(path: Matrix) -> Matrix:
    """The path at t = 0."""
    return path.subs(TIME, Integer(0))
