"""Reading a block from a text, residual(layer_norm, relu, dense(sqrt(2))), which is parsed and never run as Python.

A name is a primitive without arguments (layer_norm) or an activation of the catalogue (relu; elu(alpha=2) with an
option); activation(...) takes a formula in x; factors have the symbols LAYER and DEPTH.
"""

import ast
import inspect
import warnings
from dataclasses import dataclass

from sympy import Expr

from asympt.blocks import nodes, primitives
from asympt.blocks.nodes import SHOWN, Node
from asympt.errors import InputError
from asympt.meanfield.activations import catalogue
from asympt.meanfield.catalogue import ALIASES
from asympt.parsing import read_formula
from asympt.spelling import meant, near

LONGEST = 2000
NUMBERS = {  # the options that are numbers, by primitive; the parts of a branch are blocks
    "dense": ("sigma_w", "sigma_b", "weight_rate", "bias_rate"),
    "conv": ("sigma_w", "sigma_b"),
    "dropout": ("keep",),
    "scale": ("factor",),
    "residual": ("skip", "scale"),
    "dense_connection": ("growth",),
    "mix": ("eigenvalue",),
    "attention": ("sigma_w", "logit_variance"),
}
COUNTS = {"conv": ("reach", "positions"), "mix": ("tokens",), "attention": ("tokens",)}
WORDS = {
    "conv": ("padding",),
    "layer_norm": ("affine",),
    "rms_norm": ("affine",),
    "attention": ("scaling", "mask"),
}
MATRICES = {"mix": ("matrix",)}
BRANCHES = ("serial", "residual", "gated", "dense_connection")
PRIMITIVES = (*NUMBERS, "serial", "gated", "layer_norm", "rms_norm", "average_pool", "flatten", "activation")
FACTORS = ("skip", "scale", "factor", "weight_rate", "bias_rate")
VALUES = {"True": True, "False": False, "None": None} | {
    word: word for word in ("circular", "zero", "causal", primitives.WIDE, primitives.ROOT)
}


def read_block(text: str) -> Node:
    """The block that a text describes; `InputError` says what cannot be read.

    >>> read_block("residual(layer_norm, relu, dense(sqrt(2)))")
    residual(layer_norm, relu, dense(sqrt(2)))
    >>> read_block("residual(rms_norm(affine=True), dense(1), elu(alpha=2), dense(1/2), scale=1/sqrt(LAYER))")
    residual(rms_norm(affine=True), dense(1), elu(alpha=2), dense(1/2), scale=1/sqrt(LAYER))
    """
    if not isinstance(text, str):
        raise InputError(f"block = {text!r} is not a text; give one such as 'residual(layer_norm, relu, dense(1))'")
    if len(text) > LONGEST:
        raise InputError(f"the block has {len(text)} characters; {LONGEST} at most can be read")
    source = text.strip().replace("^", "**")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the parser's remarks about strange literals
            tree = ast.parse(source, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _error(text, "it is not of the form name(part, part, ...)") from None
    return _BlockReader(text, source).node(tree)


def _error(text: str, why: str) -> InputError:
    return InputError(
        f"cannot read the block {text!r}: {why}; write one such as 'residual(layer_norm, relu, dense(sqrt(2)))'"
    )


@dataclass(frozen=True)
class _BlockReader:
    text: str
    source: str

    def node(self, tree: ast.AST) -> Node:
        """The node of a part of the text."""
        match tree:
            case ast.Name(id=name):
                return self._made(name, [], {})
            case ast.Tuple(elts=parts):  # several, one after the other
                return primitives.serial(*map(self.node, parts))
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=keywords):
                return self._made(name, arguments, {word.arg: word.value for word in keywords})
        raise _error(self.text, f"{self._segment(tree)!r} is not part of a network")

    def _made(self, name: str, arguments: list, options: dict) -> Node:
        name = meant(name, PRIMITIVES) or name
        if name in catalogue() or name in ALIASES:
            return self._activation(name, arguments, options)
        if name not in PRIMITIVES:
            told = f"known are {', '.join(PRIMITIVES)} and the activations {', '.join(catalogue())}"
            raise _error(self.text, f"{name!r} is unknown{near(name, (*PRIMITIVES, *catalogue()))} ({told})")
        if name == "activation":
            return self._formula(arguments, options)
        make, given, named = getattr(primitives, name), self._given(name, arguments), self._options(name, options)
        try:
            inspect.signature(make).bind(*given, **named)
        except TypeError:
            raise self._misfit(name) from None
        return make(*given, **named)

    def _misfit(self, name: str) -> InputError:
        return _error(self.text, f"{name} does not take these arguments")

    def _activation(self, name: str, arguments: list, options: dict) -> Node:
        if arguments:
            raise _error(self.text, f"the options of {name} are given by name")
        return primitives.activation(name, **{key: self._number(value) for key, value in options.items()})

    def _formula(self, arguments: list, options: dict) -> Node:
        if len(arguments) != 1:
            raise _error(self.text, "activation takes one formula in x, or one name")
        if isinstance(arguments[0], ast.Name) and arguments[0].id != nodes.ARGUMENT.name:
            return self._made(arguments[0].id, [], options)
        return primitives.activation(self._segment(arguments[0]))

    def _given(self, name: str, arguments: list) -> list:
        named = (*MATRICES.get(name, ()), *COUNTS.get(name, ()), *NUMBERS.get(name, ()), *WORDS.get(name, ()))
        if name not in BRANCHES:
            if len(arguments) > len(named):
                raise self._misfit(name)
            return [self._value(name, option, tree) for option, tree in zip(named, arguments, strict=False)]
        numbers = 1 if name == "dense_connection" else 0
        found = [self._number(tree) for tree in arguments[:numbers]]
        return found + [self.node(tree) for tree in arguments[numbers:]]

    def _options(self, name: str, options: dict) -> dict:
        return {option: self._value(name, option, tree) for option, tree in options.items()}

    def _value(self, name: str, option: str | None, tree: ast.AST):
        if option in MATRICES.get(name, ()):
            return self._matrix(tree)
        if option in COUNTS.get(name, ()):
            return self._count(tree)
        if option in WORDS.get(name, ()):
            word = self._segment(tree).strip("'\"")
            if word not in VALUES:
                raise _error(self.text, f"{option}={word} is not one of {', '.join(VALUES)}")
            return VALUES[word]
        if option in NUMBERS.get(name, ()):
            return self._number(tree, *(SHOWN.values() if option in FACTORS else ()))
        raise self._misfit(name)

    def _matrix(self, tree: ast.AST) -> list:
        rows = tree.elts if isinstance(tree, ast.List) else [tree]
        if not all(isinstance(row, ast.List) for row in rows):
            raise _error(self.text, "the matrix of mix is a list of rows, [[1, 0], [1/2, 1/2]]")
        return [[self._number(entry) for entry in row.elts] for row in rows]

    def _count(self, tree: ast.AST):
        if isinstance(tree, ast.Tuple):
            return tuple(map(self._count, tree.elts))
        number = self._number(tree)
        return int(number) if number.is_Integer else number

    def _number(self, tree: ast.AST, *symbols) -> Expr:
        found = read_formula(self._segment(tree), *symbols)
        return found.xreplace({shown: symbol for symbol, shown in SHOWN.items()})

    def _segment(self, tree: ast.AST) -> str:
        return ast.get_source_segment(self.source, tree)
