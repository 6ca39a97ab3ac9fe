"""Reading a block from a text, residual(layer_norm, relu, dense(sqrt(2))), which is parsed and never run as Python.

A name is a primitive without arguments (layer_norm) or an activation of the catalogue (relu; elu(alpha=2) with an
option); activation(...) takes a formula in x; factors have the symbols LAYER and DEPTH.
"""

import ast
import inspect
import warnings
from dataclasses import dataclass
from itertools import takewhile

from sympy import Expr

from asympt.blocks import nodes, primitives
from asympt.blocks.nodes import SHOWN, Node
from asympt.errors import InputError
from asympt.meanfield.activations import catalogue
from asympt.meanfield.catalogue import ALIASES
from asympt.parsing import read_formula
from asympt.spelling import meant, near

LONGEST = 2000
PRIMITIVES = (
    "dense", "conv", "dropout", "scale", "residual", "dense_connection", "mix", "attention", "serial", "gated",
    "layer_norm", "rms_norm", "average_pool", "flatten", "activation",
)  # fmt: skip
BRANCHES = ("serial", "residual", "gated", "dense_connection")
COUNTS, WORDS = ("reach", "positions", "tokens"), ("padding", "affine", "scaling", "mask")  # other options are numbers
FACTORS = ("skip", "scale", "factor", "weight_rate", "bias_rate", "sigma_w", "sigma_b")
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
        raise InputError(f"the block has {len(text)} characters, too many to read; give one of at most {LONGEST}")
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
            raise _error(self.text, f"{name!r} is unknown{near(name, (*PRIMITIVES, *catalogue()))}; {told}")
        if name == "activation":
            return self._formula(arguments, options)
        make, misfit = getattr(primitives, name), _error(self.text, f"{name} does not take these arguments")
        signature = inspect.signature(make)
        parts = [option for option, told in signature.parameters.items() if told.annotation is Node]
        before = list(takewhile(lambda option: option not in parts, signature.parameters))
        if set(options) - (set(signature.parameters) - set(parts)) or (not parts and len(arguments) > len(before)):
            raise misfit
        given = [self._value(option, tree) for option, tree in zip(before, arguments, strict=False)]
        given += map(self.node, arguments[len(before) :])
        named = {option: self._value(option, tree) for option, tree in options.items()}
        try:
            signature.bind(*given, **named)
        except TypeError:
            raise misfit from None
        return make(*given, **named)

    def _activation(self, name: str, arguments: list, options: dict) -> Node:
        if arguments:
            raise _error(self.text, f"the options of {name} are given by name")
        given = {key: self._number(value, *SHOWN.values()) for key, value in options.items()}
        return primitives.activation(name, **given)

    def _formula(self, arguments: list, options: dict) -> Node:
        if len(arguments) != 1:
            raise _error(self.text, "activation takes one formula in x, or one name")
        if isinstance(arguments[0], ast.Name) and arguments[0].id != nodes.ARGUMENT.name:
            return self._made(arguments[0].id, [], options)
        return primitives.activation(self._segment(arguments[0]))

    def _value(self, option: str, tree: ast.AST):
        if option == "matrix":
            return self._matrix(tree)
        if option in COUNTS:
            return self._count(tree)
        if option in WORDS:
            word = self._segment(tree).strip("'\"")
            if word not in VALUES:
                raise _error(self.text, f"{option}={word} is not one of {', '.join(VALUES)}")
            return VALUES[word]
        return self._number(tree, *(SHOWN.values() if option in FACTORS else ()))

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
