"""Small faults that someone might make in a module: what ``benchmarks/mutants.py`` tries."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
_CALLS = {"min": "max", "max": "min", "any": "all", "all": "any", "sorted": "list"}
_SKIPPED = {"annotation", "returns", "decorator_list", "type_comment"}
"""What no run reads, and how a class is made."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of a module's tree; ``apply`` makes it, for good."""

    line: int
    inside: str
    """The function it is in, as ``co_qualname`` names it; empty: outside of any."""
    before: str
    after: str
    apply: Callable[[], None]


def mutants(tree: ast.Module) -> list[Mutant]:
    """Every change that can be made in a module, in the order of its text."""
    return list(_below(tree, "", ""))


def _below(node: ast.AST, inside: str, prefix: str) -> Iterator[Mutant]:
    if isinstance(node, ast.ClassDef):
        prefix += f"{node.name}."
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        inside = inside or prefix + node.name
    for field, value in ast.iter_fields(node):
        children = value if isinstance(value, list) else [value]
        if field in _SKIPPED:
            continue
        for at, child in enumerate(children):
            if not isinstance(child, ast.AST) or isinstance(child, ast.Assert):
                continue
            for new in _changes(child, node, field):
                yield Mutant(
                    getattr(child, "lineno", 0),
                    inside,
                    _shown(child),
                    _shown(new),
                    _putter(node, field, at if isinstance(value, list) else None, new),
                )
            yield from _below(child, inside, prefix)


def _putter(node: ast.AST, field: str, at: int | None, new: ast.AST) -> Callable[[], None]:
    def put() -> None:
        if at is None:
            setattr(node, field, new)
        else:
            getattr(node, field)[at] = new

    return put


def _changes(node: ast.AST, parent: ast.AST, field: str) -> Iterator[ast.AST]:
    if isinstance(node, ast.expr):
        yield from _of_expression(node)
        if field in ("test", "ifs") and not isinstance(node, ast.Compare | ast.UnaryOp):
            yield ast.UnaryOp(ast.Not(), node)
    elif isinstance(node, ast.AugAssign):
        if type(node.op) in _OPERATORS:
            yield ast.AugAssign(node.target, _OPERATORS[type(node.op)](), node.value)
        yield ast.Pass()
    elif isinstance(node, ast.Return):
        if node.value is not None and not (isinstance(node.value, ast.Constant) and node.value.value is None):
            yield ast.Return(ast.Constant(None))
    elif isinstance(node, ast.Break | ast.Continue | ast.Raise | ast.Delete) or (
        isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant)
    ):
        yield ast.Pass()


def _of_expression(node: ast.expr) -> Iterator[ast.expr]:
    match node:
        case ast.Compare(left, ops, comparators):
            for at, op in enumerate(ops):
                yield ast.Compare(left, [*ops[:at], _COMPARISONS[type(op)](), *ops[at + 1 :]], comparators)
        case ast.BoolOp(op, values):
            yield ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
        case ast.UnaryOp(ast.Not() | ast.USub(), operand):
            yield operand
        case ast.BinOp(left, op, right) if type(op) in _OPERATORS:
            yield ast.BinOp(left, _OPERATORS[type(op)](), right)
        case ast.Call(ast.Name(name), args, keywords) if name in _CALLS:
            yield ast.Call(ast.Name(_CALLS[name], ast.Load()), args, [] if name == "sorted" else keywords)
        case ast.Subscript(value, ast.Slice(lower, upper, step), ast.Load()):
            if lower is not None:
                yield ast.Subscript(value, ast.Slice(None, upper, step), ast.Load())
            if upper is not None:
                yield ast.Subscript(value, ast.Slice(lower, None, step), ast.Load())
        case ast.Constant(bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(int(value)) | ast.Constant(float(value)):
            yield ast.Constant(value + 1)


def _shown(node: ast.AST) -> str:
    text = " ".join(ast.unparse(ast.fix_missing_locations(node)).split())
    return text if len(text) <= 100 else f"{text[:97]}..."
