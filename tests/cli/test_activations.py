"""The command line with any activation: names with options, formulas, every law; numbers from independent sources."""

from tests.cli.command import record, run


def test_derive_on_the_edge_of_chaos_of_tanh():
    # q and sigma_w from an independent mpmath solution of the two equations (tests/known_values/edge_of_chaos.toml)
    found = record("derive", "tanh", "--sigma-b", "0.2", "--terms", 2)
    network = found["network"]
    assert network["phase"] == "edge of chaos" and network["chi"] == "1"
    assert network["q"].startswith("0.512078504233901") and network["sigma_w"].startswith("1.304145840056511")
    assert found["law"]["limit"] == "1/3" and found["law"]["rate"] == "log(L)/L"
    # f''(1) and f'''(1) by mpmath.quad, tests/known_values/activations.toml
    digits = {c["name"]: c["digits"] for c in found["law"]["constants"]}
    assert digits["f2"].startswith("0.282336818419") and digits["f3"].startswith("0.596689837945")


def test_the_text_names_the_constants_and_the_coordinate():
    text = run("derive", "elu", "--sigma-b", "1/5", "--law", "correlation", "--terms", 2).stdout
    assert "t = sqrt(1 - c)" in text and "e_5" in text and "1 - c^l = 1/(e_4*l)" in text


def test_a_formula_is_an_activation_like_a_name():
    names = ("elu", "exp(min(x,0))-1+max(x,0)")
    options = ("--sigma-b", "1/5", "--law", "correlation", "--terms", 1)
    first, second = (record("derive", name, *options) for name in names)
    assert first["network"]["q"] == second["network"]["q"]
    assert first["law"]["expansion"] == second["law"]["expansion"]
    jumps = record("derive", "sign(x)", "--sigma-w", 2, "--sigma-b", 1, "--law", "correlation", "--terms", 1)["network"]
    assert jumps["chi"] == "oo" and float(jumps["q"]) == 5  # sigma_w^2 + sigma_b^2, for sign(x)^2 = 1


def test_the_diagonal_needs_no_start_and_the_variance_has_its_own():
    # relu, sigma_w = sigma_b = 1: chi = 1/2, q = 2 and K^L(x, x)/q = 2 (1 - 2^-L)
    found = record("derive", "relu", "--sigma-w", 1, "--sigma-b", 1, "--law", "diagonal", "--depth", 3)
    assert found["value"]["value"].startswith("1.75")
    # q^3 = 1 + (1 + 3/2)/2
    found = record("derive", "relu", "--sigma-w", 1, "--sigma-b", 1, "--law", "variance", "--depth", 3, "--variance", 3)
    assert found["value"]["value"].startswith("2.25")
