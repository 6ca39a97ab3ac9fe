"""Statements written once: decided, corrected, and refuted when the printed side is changed."""

from dataclasses import replace

import pytest
from sympy import Max, Rational, Symbol, acos, cos, erf, exp, log, oo, pi, sign, sin, sqrt

from asympt import claims
from asympt.claims.paper import claims_in
from asympt.claims.stated import laws
from asympt.claims.stated.comparisons import Agreement, Inequality, Limit
from asympt.claims.stated.equalities import Equality
from asympt.claims.stated.laws import LawCoefficient, LawLimit, Rate, StatedNetwork, law_of
from asympt.deadline import time_limit
from asympt.errors import InputError, NoValueError
from asympt.evidence.check import Check, Verification
from tests.claims.changed import changed

X, T, S = Symbol("x", real=True), Symbol("t", positive=True), Symbol("s", positive=True)
RELU = StatedNetwork("feedforward", "relu")
L, SMALL_L = (law_of(RELU, name).depth_variable for name in ("ntk", "correlation"))
HOLDING = {
    "identity": Equality(sin(2 * X), 2 * sin(X) * cos(X)),
    "inequality": Inequality(sin(X), "<", X, X, Rational(1, 10), Rational(3)),
    "limit": Limit((1 - cos(T)) / T**2, T, Rational(0), Rational(1, 2)),
    "limit at infinity": Limit(T * log(1 + 3 / T), T, oo, Rational(3)),
    "fast limit": Limit(exp(-T) + Rational(1, 3), T, oo, Rational(1, 3)),  # numbers agree to all their digits
    "printed number": Agreement(sqrt(2) / pi, "0.4502"),
    "limit of a law": LawLimit(RELU, "ntk", Rational(1, 4)),
    # HDR Theorem 1 put right: 1/4 + (3/8) log(L)/L, and 1 - c^l = (9 pi^2/2)/l^2 - (27 pi^2/2) log(l)/l^3
    "coefficient": LawCoefficient(RELU, "ntk", "log(L)/L", Rational(3, 8)),
    "coefficient of a correlation": LawCoefficient(RELU, "correlation", "log(l)/l^3", -27 * pi**2 / 2),
    "rate": Rate(RELU, "ntk", log(L) / L),
    "rate of a correlation": Rate(RELU, "correlation", SMALL_L**-2),
}


PROVED = ("identity", "inequality", "limit", "limit at infinity", "fast limit")


@pytest.mark.parametrize("name", HOLDING)
def test_it_holds_and_every_change_of_the_printed_side_is_refuted(name):
    statement = HOLDING[name]
    assert statement.verify().verdict == ("proved" if name in PROVED else "checked"), statement.verify().report()
    mutants = list(changed(statement))
    kept = [mutant.plain for mutant in mutants if mutant.verify().verdict != "refuted"]
    assert mutants and kept == []


@pytest.mark.parametrize("name", ["limit", "printed number", "limit of a law", "coefficient", "rate"])
def test_a_refuted_statement_is_corrected_by_the_true_one(name):
    statement = HOLDING[name]
    found = next(changed(statement)).verify()
    assert found.corrected.subject == statement.plain and found.corrected.verdict in ("proved", "checked")


@pytest.mark.parametrize(
    ("expression", "to", "value"),
    [
        ((1 + 1 / T) ** T, oo, exp(1)),  # textbook limits, all of them
        ((1 - 2 / T) ** (3 * T), oo, exp(-6)),
        (T**T, Rational(0), Rational(1)),
        (T ** (1 / (T - 1)), Rational(1), exp(1)),
        (2**T / 3**T, oo, Rational(0)),
        (T * (sqrt(T**2 + 1) - T), oo, Rational(1, 2)),
        (T**5 * (cos(1 / T) - 1 + 1 / (2 * T**2)) * 24 / T, oo, Rational(1)),  # 55 digits cancel
    ],
)
def test_a_limit_in_which_the_variable_is_an_exponent_ends(expression, to, value):
    """(1 + 10^-12)^(10^12) as an exact rational has more digits than any memory."""
    with time_limit(5):
        assert Limit(expression, T, to, value).verify().verdict == "proved"
        assert Limit(expression, T, to, value + Rational(1, 1000)).verify().verdict == "refuted"


def test_an_identity_that_fails_below_all_digits_or_whose_numbers_do_not_end():
    """1 - erf(20) = 5e-176, where erf - sign is in a ball at 1024 bits; roots of roots at rational points are huge."""
    assert Equality(erf(X), sign(X), ranges={"x": (Rational(20), Rational(30))}).verify().verdict == "refuted"
    a, b, c = (Symbol(name, positive=True) for name in "abc")
    with time_limit(1):
        assert Equality((a**b) ** c, a ** (b * c)).verify().verdict == "unknown"
    with time_limit(3):
        low = Rational(6922, 10**4)  # the least is 0.6922006
        assert Inequality(X**X, ">", low, X, Rational(1, 100), Rational(1)).verify().verdict == "proved"


@pytest.mark.parametrize(("left", "sign", "right", "verdict"), [
    (sin(X**2), "<=", X**2, "checked"), (sin(X**2), "<", X**2, "refuted"),  # equality at 0: no bisection ends there
    ((X - Rational(1, 3)) ** 2, ">=", 10**-Rational(12), "refuted"),  # dips between the 129 points
    ((X - Rational(1, 3)) ** 2, ">", 0 * X, "refuted"), (1 / (X - Rational(1, 3)) ** 2, ">", 0 * X, "unknown"),
    (cos(256 * pi * X), ">=", Rational(1, 2), "refuted"), ((X + 1) / 2, ">=", 10**-Rational(50), "refuted"),
    ((cos(X) - X) ** 2, ">", 0 * X, "unknown"), (abs(cos(X) - X), ">", 0 * X, "unknown"),  # 0 where no formula tells
    (abs(sqrt(X - 2)), ">", 0 * X, "unknown"), (sqrt(X - 2) * sqrt(X - 3), "<", 0 * X, "unknown"),  # not real
    (X * exp(X), ">=", 10**-Rational(22) - exp(-1), "refuted"),  # SymPy cannot order the zero, a Lambert function
    ((X**5 + X - 1) ** 2, ">=", 10**-Rational(35), "refuted"),  # below the working digits, at a root without a formula
    ((X - cos(X)) ** 4 * ((exp(X) + X - 2) ** 2 - 10**-Rational(30)), ">=", 0 * X, "refuted"),  # two dips, one touches
    (cos(X), "<=", 1 - (1 + 10**-Rational(60)) * X**2 / 2 + X**4 / 24, "refuted"),  # by 10^-89
    (exp(-(10 ** Rational(60)) * (cos(X) - X) ** 2), "<", Rational(1, 2), "unknown"),  # false on 10^-30 only
    (1 / (exp(X) + X - 2) ** 2, ">", 0 * X, "unknown"),  # no value at one point
    (sqrt((exp(X) + X - 2) * (exp(X) + X - 2 - 10**-Rational(15))), ">=", 0 * X, "unknown"),  # not real on 10^-15
])  # fmt: skip
def test_an_inequality_that_touches_is_checked_and_one_that_dips_is_refuted(left, sign, right, verdict):
    assert Inequality(left, sign, right, X, Rational(-1), Rational(1)).verify().verdict == verdict


@pytest.mark.parametrize(("left", "right", "verdict"), [
    (sin(997 * pi * X), 0, "refuted"), (sin(9970 * pi * T), 0, "refuted"),  # 0 at fractions k/997
    ((X - 1) * (X - 2), abs((X - 1) * (X - 2)), "refuted"), (T + abs(T - 10**-Rational(12)), 2 * T, "refuted"),
    (Max(S, T, 10**-Rational(9)), Max(S, T), "refuted"),  # where both are below 10^-9
    (Max(0, 1 - 10**6 * abs(X - 1 / pi)), 0, "refuted"),  # SymPy cannot order (10^6 - pi)/pi and 10^6/pi - 1
])  # fmt: skip
def test_an_identity_is_tried_between_kinks_and_off_the_grid(left, right, verdict):
    assert Equality(left, right + 0 * X).verify().verdict == verdict


@pytest.mark.parametrize(("number", "printed", "verdict"), [
    (pi, "3.14159265358979323846264338327950288419716939937512", "refuted"),  # ...9375105...
    (Rational(1, 2) - 10**-Rational(60), "1", "refuted"), (Rational(1, 2) - 10**-Rational(60), "0", "checked"),
])  # fmt: skip
def test_a_print_is_compared_to_all_its_digits(number, printed, verdict):
    assert Agreement(number, printed).verify().verdict == verdict


def test_a_limit_whose_numbers_take_too_long_is_unknown(monkeypatch):
    monkeypatch.setattr("asympt.claims.stated.statement.SIMPLIFYING", 0.5)
    assert Limit(exp(-exp(T)), T, oo, Rational(0)).verify().verdict == "unknown"


@pytest.mark.parametrize(("left", "sign", "right", "verdict"), [
    (2 * X * T, "<", X**2 + T**2, "refuted"), (2 * X * T, "<=", X**2 + T**2, "proved"), (T + 1 / T, ">", 2, "refuted"),
    ((X**2 - 2) ** 2, ">", 0, "refuted"), (X**4 + 1, ">", X, "checked"), (exp(T), ">", 1 + T, "checked"),
    (exp(-T) * T**50, "<", 10**60, "refuted"),  # 50^50 e^-50 = 1.7e63, at no sample
    ((X**3 - 3 * X + 1) ** 2, ">", 0, "unknown"),  # 0 at 2 cos(2 pi/9), which is a root to every digit
])  # fmt: skip
def test_a_strict_inequality_of_letters_is_tried_where_the_sides_meet(left, sign, right, verdict):
    assert Inequality(left, sign, right + 0 * X).verify().verdict == verdict


def test_an_inequality_is_proved_up_to_the_end_of_a_root_and_not_across_it():
    """The second root is not real between 1/1000 and 1/500, where no sample lies."""
    gap = sqrt((X - Rational(1, 1000)) * (X - Rational(1, 500)))
    for root, verdict in ((sqrt(1 - X**2), "proved"), (acos(X), "proved"), (gap, "unknown")):
        assert Inequality(root + 1, ">", Rational(0) * X, X, Rational(-1), Rational(1)).verify().verdict == verdict


@pytest.mark.parametrize(("expression", "to", "value", "verdict"), [
    ("abs(x)", "-2", "-2", "refuted"), ("abs(x)", "-2", "2", "proved"), ("x/sqrt(x^2)", "-1", "1", "refuted"),
    ("sign(x)", "0", "1", "proved"), ("x*sin(pi*x)", "oo", "0", "unknown"), ("max(x, 2)", "oo", "2", "refuted"),
    ("sin(1/x)", "0", "0", "unknown"), ("sin(x)", "oo", "0", "unknown"), ("log(log(x))/10", "oo", "1/2", "refuted"),
    ("max(1/log(x), 1/x)", "oo", "1/100", "unknown"), ("max(x/10^25, 1)", "oo", "1", "unknown"),  # at 10^18 1
    ("min(10^25*x, 1)", "0", "1", "unknown"), ("max(sin(x), 2)", "oo", "2", "proved"),
    ("tan(x)/x", "oo", "0", "unknown"), ("exp(-x)*tan(x)", "oo", "0", "unknown"), ("x/sin(1/x)", "0", "0", "unknown"),
    ("abs(sin(x))^(1/x)", "oo", "1", "unknown"), ("log(abs(sin(x)))/x", "oo", "0", "unknown"),  # no limit: poles
    ("exp(x*sin(x + 1))", "oo", "0", "unknown"), ("(x + sin(x))/x", "oo", "1", "proved"),
    ("acos(x)/sqrt(1 - x)", "1", "sqrt(2)", "not real"), ("sqrt(x - 2)*sqrt(x - 3)", "0", "-sqrt(6)", "not real"),
    ("abs(log(x - 1))", "0", "pi", "not real"),
])  # fmt: skip
def test_a_limit_is_that_from_the_right_also_at_negative_points(expression, to, value, verdict):
    text = f'form = "limit"\nvariable = "x"\nexpression = "{expression}"\nto = "{to}"\nvalue = "{value}"\n'
    try:
        found = claims_in(HEAD + text, "p.toml")[0].check().verdict
    except NoValueError as error:
        found = str(error)
    assert verdict in found


@pytest.mark.parametrize(("left", "right", "about", "verdict"), [
    ("(x^2 - 1)/(x - 1)", "x + 1", "", "unknown"), ("tan(x)*cos(x)", "sin(x)", "", "unknown"),  # no value at 1, pi/2
    ("(x^2 - 1)/(x - 1)", "x + 1", 'ranges.x = ["2", "3"]', "proved"), ("tan(x)", "sin(x)/cos(x)", "", "proved"),
    ("sign(x)^2", "1", "", "refuted"), ("abs(x - 4)", "4 - x", "", "refuted"), ("max(x, 9)", "9", "", "refuted"),
    ("asin(sin(x))", "x", 'ranges.x = ["-1", "8/5"]', "refuted"), ("abs(x)*x", "abs(x^2)", "", "refuted"),
    ("asin(sin(x))", "x", 'ranges.x = ["-1", "1"]', "checked"), ("abs(x)", "sqrt(x^2)", "", "proved"),
    ("cos(x)^2 + sin(x)^2", "1 + 1/10^60", "", "refuted"), ("x^n*x", "x^(n + 1)", "", "unknown"),  # 0^0, n = -1
    ("x^y*x", "x^(y + 1)", 'ranges.y = ["-3", "3"]', "unknown"), ("abs(n)", "n", 'ranges.n = ["0", "9"]', "checked"),
    ("x^n*x", "x^(n + 1)", 'ranges = {x = ["1/2", "1"], n = ["-3", "3"]}', "proved"),
    ("x^n*x^n", "x^(2*n)", "", "proved"), ("acos(x) + asin(x)", "pi/2", "", "unknown"),  # no value beyond 1
    ("max(x, z)", "x", 'ranges = {x = ["0", "1"], z = ["-1", "1/1000"]}', "refuted"),  # in a corner alone
    ("max(0, 1/1000 - abs(x))*max(0, 1/1000 - abs(z))", "0", "", "refuted"),  # where two kinks meet
    ("sqrt(x - 2)*sqrt(x - 3)", "-sqrt((2 - x)*(3 - x))", 'ranges.x = ["0", "1"]', "unknown"),  # not on the real line
    ("abs(sqrt(-x))", "sqrt(x)", 'ranges.x = ["1", "2"]', "unknown"),
])  # fmt: skip
def test_an_identity_is_tried_at_the_ends_and_where_a_side_may_have_no_value_a_kink_or_a_jump(
    left, right, about, verdict
):
    text = f'form = "identity"\nleft = "{left}"\nright = "{right}"\n{about}\n'
    text += 'symbols = {x = "real", z = "real", n = "integer", y = "integer"}\n'
    assert claims_in(HEAD + text, "p.toml")[0].check().verdict == verdict


def test_a_power_of_a_number_near_one_grows():
    """((chi + 10^-9)/chi)^l tends to infinity: of 1.0000000021^l SymPy says that it tends to 1."""
    text = HEAD + 'form = "rate"\nnetwork = {activation = "erf", sigma_w = "1", sigma_b = "1"}\nlaw = "correlation"\n'
    for size, tends in (("(chi + 1/10^9)^l", oo), ("chi^l", 1), ("(chi - 1/10^9)^l", 0)):
        (statement,) = claims_in(f'{text}size = "{size}"\n', "p.toml")[0].formulas()
        assert statement._compared() == tends


def test_a_size_that_is_no_positive_size_is_not_checked():
    """-1/l^2 and sin(l)^2/l^2 are no size; 2^(-l) and exp(-exp(l)) are no numbers at l = 10^12."""
    for shape in (-1, 0, sin(SMALL_L) ** 2, 2**-SMALL_L, exp(-exp(SMALL_L))):
        assert Rate(RELU, "correlation", shape / SMALL_L**2).verify().verdict in ("unknown", "refuted")


HEAD = 'title = "My paper"\n\n[[claim]]\nid = "MP.1"\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", 'needs a title = "..." and at least one table'),
        ('title = "x"\n[[claim]\n', "is not a TOML file: "),
        (HEAD + 'form = "theorem"\n', r"line 5: claim MP.1: form = 'theorem' is none of identity, inequality"),
        (HEAD + 'form = "identity"\nleft = "x"\nright = "x"\n', "line 5: claim MP.1: the form identity needs symbols"),
        (HEAD + 'form = "identity"\nsymbols = {x = "real"}\nleft = "x"\nright = "y"\n',
         "line 8: claim MP.1: the symbol 'y' in right has no meaning: known are x"),
        (HEAD + 'form = "identity"\nsymbols = {x = "real"}\nleft = "x +* 2"\nright = "x"\n',
         r"line 7: claim MP.1: cannot read 'x \+\* 2': it is not a formula"),
        (HEAD + 'form = "identity"\nsymbols = {x = "purple"}\nleft = "x"\nright = "x"\n',
         "line 6: claim MP.1: x = 'purple' is none of real, positive, integer"),
        (HEAD + 'form = "identity"\nleft = "x"\nright = "x"\nsymbols = {x = "positive"}\nranges = {x = [-2, -1]}\n',
         "line 9: claim MP.1: x is positive, which the ends -2 and -1 are not"),
        (HEAD + 'form = "identity"\nleft = "n"\nright = "n"\nsymbols = {n = "integer"}\nranges.n = ["0", "1/2"]\n',
         "line 9: claim MP.1: n is integer, which the ends 0 and 1/2 are not"),
        (HEAD + 'form = "inequality"\nsymbol = "x"\nrange = ["1", "0"]\nleft = "x"\nsign = "<"\nright = "2"\n',
         "line 7: claim MP.1: the range from 1 to 0 excludes everything"),
        (HEAD + 'form = "rate"\nnetwork = {activation = "rleu"}\nlaw = "ntk"\nsize = "1/L"\n',
         "line 6: claim MP.1: .*rleu"),
        (HEAD + 'form = "rate"\nnetwork = {activation = "relu"}\nlaw = "kernel"\nsize = "1/L"\n',
         "line 7: claim MP.1: law = 'kernel': the architecture feedforward has ntk"),
        (HEAD + 'form = "rate"\nnetwork = {activation = "relu", depth = "3"}\nlaw = "ntk"\nsize = "1/L"\n',
         "line 6: claim MP.1: 'depth' is not a parameter of the architecture feedforward"),
        (HEAD + 'form = "agreement"\nexpression = "pi"\nprinted = "three"\n', "line 7: claim MP.1: printed = 'three'"),
        (HEAD + 'form = "agreement"\nexpression = "pi"\nprinted = "3.14"\nbound = "1"\n',
         "line 8: claim MP.1: 'bound' has no meaning for the form agreement"),
        (HEAD + 'form = "agreement"\nexpression = "pi"\nprinted = "3.14"\nseverity = "grave"\n',
         "line 8: claim MP.1: severity = 'grave' is not one of convention, slip, imprecise, false"),
        (HEAD + 'form = "agreement"\nexpression = "pi"\nprinted = "3.14"\n[[claim]]\nid = "MP.1"\n',
         "line 9: id = 'MP.1' is there twice"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_used(tmp_path, text, message):
    path = tmp_path / "p.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message) as raised:
        claims.read_paper(path)
    assert "\n" not in str(raised.value)
    with pytest.raises(InputError, match=r"cannot read .*give a TOML file with claims"):
        claims.read_paper(tmp_path / "no.toml")


def test_printed_numbers_of_a_network(tmp_path):
    """HDR Sec. 6.2 prints (0.2, 1.298) for tanh; the curve is at 1.30414584..."""
    path = tmp_path / "p.toml"
    path.write_text(
        HEAD + 'form = "agreement"\nnetwork = {activation = "tanh", sigma_b = "1/5"}\nexpression = "sigma_w"\n'
        'printed = "1.298"\nseverity = "slip"\n', encoding="utf-8"
    )  # fmt: skip
    (claim,) = claims.read_paper(path)
    found = claim.check()
    assert (found.verdict, claim.severity(found)) == ("refuted", "slip")
    assert found.corrected.subject.endswith("= 1.304...") and found.corrected.verdict == "checked"


# sin on its Edge of Chaos, sigma_b = 1/5: E[sin(x)^2] = E[1 - cos(2x)]/2 and so on give f2 = q tanh(q) and, with
# sigma_w^2 = 2/(1 + exp(-2q)), q = 0.45...: mpmath, findroot of q = 1/25 + tanh(q); 2/f2 = 8.352237734835...
# tanh there: 2/f2 = 7.083737824905... and f2, f3 by quadrature in mpmath; ReLU: HDR Theorem 1 put right.
SINE, TANH, RELU_NET = ('{activation = "sin", sigma_b = "1/5"}', '{activation = "tanh", sigma_b = "1/5"}',
                        '{activation = "relu"}')  # fmt: skip
VALUES = [  # network, law, monomial ("" for the limit), value as a user writes it, verdict
    (SINE, "correlation", "1/l", "2/(q*tanh(q))", "checked"),
    (SINE, "correlation", "1/l", "2/(sigma_w^2*q*E[phi''^2])", "checked"),
    (SINE, "correlation", "1/l", "2/f2*E[x*phi*phi']/(q*E[phi'^2 + phi*phi''])", "checked"),
    (SINE, "correlation", "1/l", "8.352237734835", "checked"), (SINE, "correlation", "1/l", "2/(q*tan(q))", "refuted"),
    (SINE, "correlation", "1/l", "2/(q*tanh(q)) + 1/10^18", "refuted"),
    (SINE, "correlation", "1/l", "2/(sigma_w^2*q*E[phi'^2])", "refuted"),
    (TANH, "correlation", "1/l", "7.083737825", "checked"), (TANH, "correlation", "1/l", "7.08", "checked"),
    (TANH, "correlation", "1/l", "7.083737826", "refuted"), (TANH, "correlation", "1/l", "7.09", "refuted"),
    (TANH, "correlation", "1/l", "2/f3", "refuted"), (TANH, "correlation", "1/l", "7.084*chi", "unknown"),  # if rounded
    (RELU_NET, "ntk", "log(L)/L", "0.375", "checked"), (RELU_NET, "ntk", "log(L)/L", "0.38", "checked"),
    (RELU_NET, "ntk", "log(L)/L", "0.37", "refuted"), (RELU_NET, "ntk", "log(L)/L", "3*E[phi^2]/4", "checked"),
    (RELU_NET, "ntk", "", "0.25", "checked"), (RELU_NET, "ntk", "", "0.26", "refuted"),
    (RELU_NET, "ntk", "", "1/4 + C", "refuted"), (RELU_NET, "ntk", "", "1/4 + 1/10^60", "unknown"),
    (RELU_NET, "correlation", "1/l^3", "9*pi^2*(3*log(3*pi/sqrt(2))/2 - C)", "checked"),
    (RELU_NET, "correlation", "1/l^3", "9*pi^2*(3*log(3*pi)/2 - C)", "refuted"),
    (RELU_NET, "correlation", "1/l^3", "9*pi^2*(3*log(3*pi/sqrt(2))/2 + C)", "refuted"),
]


def of_user(network, law, monomial, value):
    """The statement of a user's file, without the verification of the law."""
    form = f'form = "coefficient"\nof = "{monomial}"' if monomial else 'form = "limit"'
    (claim,) = claims_in(f'{HEAD}{form}\nnetwork = {network}\nlaw = "{law}"\nvalue = "{value}"\n', "p.toml")
    return replace(claim.formulas()[0], elsewhere=True)


@pytest.mark.parametrize(("network", "law", "monomial", "value", "verdict"), VALUES)
def test_values_of_users_are_compared_as_numbers(network, law, monomial, value, verdict):
    found = of_user(network, law, monomial, value).verify()
    assert found.verdict == verdict, found.report()
    assert verdict == "checked" or found.checks[0].figure != found.checks[0].bound
    assert verdict != "refuted" or len({check.route for check in found.checks if check.passed is False} - {""}) > 1


@pytest.mark.parametrize("value", ["E[phi''^2]", "E[psi]", "E[phi", "f9", "2/f2"])
def test_what_a_relu_network_has_no_number_for(value):
    """phi'' is not a function there, and f''(1) is infinite."""
    with pytest.raises(InputError, match=r"p.toml, line \d: claim MP.1: ") as raised:
        of_user(RELU_NET, "ntk", "log(L)/L", value)
    assert "\n" not in str(raised.value)


def test_without_a_verified_law_nothing_is_refuted(monkeypatch):
    undone = Verification("the law", (Check("a check", "-", "-", None),))
    monkeypatch.setattr(laws, "_verified", lambda network, name: undone)
    statement = replace(of_user(RELU_NET, "ntk", "log(L)/L", "1/2"), elsewhere=False)
    assert statement.verify().verdict == "unknown"


EXPECTED = {
    "SGGS.depth-scale": "checked", "SGGS.critical": "checked", "YS.relu-rate": "checked", "YS.relu-constant": "checked",
    "BB.kappa1": "proved", "BB.kappa0": "proved", "BB.increasing": "proved", "example.too-fast": "refuted",
}  # fmt: skip


def test_three_papers():
    found = {claim.id: claim.check().verdict for claim in claims.read_paper("docs/claims/three_papers.toml")}
    assert found == EXPECTED
