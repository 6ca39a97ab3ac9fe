"""Digits are read from the cache folder only for constants that their key determines."""

import mpmath
import pytest

from asympt.expansions import opaque
from asympt.expansions.opaque import RealConstant


@pytest.mark.parametrize(("key", "reads"), [(("a root", 2), True), ("a root", False), (None, False)])
def test_a_name_alone_determines_no_number_in_another_process(monkeypatch, tmp_path, key, reads):
    monkeypatch.setenv("ASYMPT_CACHE", str(tmp_path))
    monkeypatch.setattr(opaque, "WORTH", -1)
    found = []
    for radicand in (2, 3):
        monkeypatch.setattr(RealConstant, "_known", {})  # as in a new process
        found.append(RealConstant("w", lambda radicand=radicand: mpmath.sqrt(radicand), key).evalf(15))
    assert abs(found[0] ** 2 - 2) < 1e-12 and abs(found[1] ** 2 - (2 if reads else 3)) < 1e-12


def test_a_constant_of_such_a_name_is_not_read_either(monkeypatch, tmp_path):
    monkeypatch.setenv("ASYMPT_CACHE", str(tmp_path))
    monkeypatch.setattr(opaque, "WORTH", -1)
    for radicand in (2, 3):
        monkeypatch.setattr(RealConstant, "_known", {})
        inner = RealConstant("w", lambda radicand=radicand: mpmath.sqrt(radicand))
        outer = RealConstant("v", lambda inner=inner: mpmath.mpf(inner.evalf(30)._mpf_), ("twice", 2 * inner))
        assert abs(outer.evalf(15) ** 2 - radicand) < 1e-12
