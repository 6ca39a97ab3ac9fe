r"""The value of a formula as it is printed: an evaluator for the LaTeX that the documents are written in.

It knows numbers, letters, \frac, \sqrt, powers, brackets, \log, \sin, \cos, juxtaposition as a product, + and -.
A dropped sign or bracket in the printed formula changes the value, so comparing values finds it.
"""

import re

import mpmath

_TOKEN = re.compile(r"\\[A-Za-z]+|\d+|[A-Za-z]|[-+{}()^_\[\]/|]")
_SPACING = {r"\left", r"\right", r"\bigl", r"\bigr", r"\Bigl", r"\Bigr"}
_SKIPPED = re.compile(r"\\[,;!]|\\cdot")
_FUNCTIONS = {r"\log": mpmath.log, r"\sin": mpmath.sin, r"\cos": mpmath.cos}


def printed(text: str, left: str, last: bool = False) -> str:
    """The right-hand side of the first (or last) displayed equation of a quantity, up to its remainder."""
    right = text.split(f"{left} &= ")[-1 if last else 1].split(r"+ O\!", 1)[0]
    for layout in (r"\notag", r"\quad", r"\\", "&"):
        right = right.replace(layout, " ")
    return right


def value(latex: str, names: dict):
    """The value of a sum; `names` gives the letters, as they are printed ('n', '\\xi', 's_{n}' as 's_n')."""
    tokens = [token for token in _TOKEN.findall(_SKIPPED.sub(" ", latex)) if token not in _SPACING]
    return _Reader(tokens, names).sum()


class _Reader:
    def __init__(self, tokens: list[str], names: dict):
        self.tokens, self.names, self.at = tokens, names, 0

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def next(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1]

    def sum(self):
        total, sign = mpmath.mpf(0), 1
        if self.peek() in "+-" and self.peek():
            sign = -1 if self.next() == "-" else 1
        total += sign * self.product()
        while self.peek() in ("+", "-"):
            sign = -1 if self.next() == "-" else 1
            total += sign * self.product()
        return total

    def product(self):
        result = self.power()
        while self.peek() and self.peek() not in ("+", "-", ")", "}", "]"):
            if self.peek() == "/":
                self.next()
                result = result / self.power()
            else:
                result = result * self.power()
        return result

    def power(self):
        base = self.atom()
        if self.peek() == "^":
            self.next()
            base = base ** self.group()
        return base

    def group(self):
        """{...}, or a single token."""
        if self.peek() != "{":
            return self.atom()
        self.next()
        result = self.sum()
        assert self.next() == "}"
        return result

    def atom(self):
        token = self.next()
        if token == "(":
            result = self.sum()
            assert self.next() == ")"
            return result
        if token == "{":
            self.at -= 1
            return self.group()
        if token == r"\frac":
            top, bottom = self.group(), self.group()
            return top / bottom
        if token == r"\sqrt":
            return self.root()
        if token in _FUNCTIONS:
            return self.function(_FUNCTIONS[token])
        return mpmath.mpf(int(token)) if token.isdigit() else self.letter(token)

    def root(self):
        order = mpmath.mpf(2)
        if self.peek() == "[":
            self.next()
            order = self.sum()
            assert self.next() == "]"
        return self.group() ** (1 / order)

    def function(self, evaluate):
        exponent = 1
        if self.peek() == "^":
            self.next()
            exponent = self.group()
        return evaluate(self.power()) ** exponent

    def letter(self, token: str):
        if self.peek() == "_":
            self.next()
            index = self.next()
            if index == "{":
                index = self.next()
                assert self.next() == "}"
            token += f"_{index}"
        return self.names[token]
