"""What `verify` takes: a law whose parts are there, so that every check can at least be asked.

Problem.  A law is an open dataclass, and verifying one with a part replaced is what `verify` is for.  But a number, a
map or a law without an expansion is no law, and must not end in the middle of a check.

Rule.  The object has the parts of a law; its expansion is an `Expansion` with at least one term, on the scale that the
law's kind has (powers of chi^n with a Koenigs function, powers of n elsewhere).  Anything else is an `InputError`.

Tiny case.  verify(3): "law = 3 is not a law; ...".

Known limits.  Whether the parts belong together is for the checks to say, not for this.
"""

from asympt.errors import InputError

PARTS = ("kind", "quantity", "expansion", "abel", "koenigs", "linear", "evaluate")  # what every law has


def require_law(law) -> None:
    """An error that says what is missing."""
    if isinstance(law, type) or not all(hasattr(law, part) for part in PARTS):
        shown = str(law) if len(str(law)) <= 60 else type(law).__name__
        raise InputError(
            f"law = {shown} is not a law; give one, such as Recursion(...).law() or FeedForward(...).ntk_law()"
        )
    expansion = law.expansion
    if not all(hasattr(expansion, part) for part in ("terms", "scale", "remainder")):
        raise InputError(f"law.expansion = {expansion} is not an Expansion; give what the law prints")
    if not expansion.terms:
        raise InputError("law.expansion has no terms, so the law says nothing; give at least one term")
    if not isinstance(law.quantity, str):
        raise InputError(f"law.quantity = {law.quantity} is not a text; give the LaTeX of what the law describes")
    try:
        _ = law.parameters, law.plain, str(law)
    except (TypeError, AttributeError, ValueError) as error:
        raise InputError(f"a part that the law needs is missing ({error}); give a law of one kind, complete") from None
    exponential = hasattr(expansion.scale, "base")
    if law.koenigs is not None and not exponential:
        raise InputError(f"law.expansion = {expansion} is no sum of powers of chi^n, as the law of this map is")
    if law.abel is not None and exponential:
        raise InputError(f"law.expansion = {expansion} is no sum of powers of the depth, as the law of this map is")
