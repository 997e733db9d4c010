"""How the modules of the package import each other, also within functions and for types alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from graphlib import TopologicalSorter
from pathlib import Path

import call_transfer

ROOT = Path(call_transfer.__file__).parent.parent


def name_of(file: Path) -> str:
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


SOURCES = {name_of(file): file for file in sorted((ROOT / "call_transfer").rglob("*.py"))}


def imports(module: str, text: str, known: Mapping[str, object], *, is_package: bool) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names if one.name in known)
        elif isinstance(node, ast.ImportFrom):
            above = module.split(".")[: None if is_package and node.level == 1 else -(node.level - is_package) or None]
            start = ".".join([*above, *filter(None, [node.module])]) if node.level else str(node.module)
            for one in node.names:
                target = f"{start}.{one.name}"
                yield from [name for name in (target if target in known else start,) if name in known]


def graph_of(texts: Mapping[str, str], packages: frozenset[str]) -> dict[str, set[str]]:
    return {name: set(imports(name, text, texts, is_package=name in packages)) for name, text in texts.items()}


def test_no_modules_import_each_other() -> None:
    packages = frozenset(name for name, file in SOURCES.items() if file.name == "__init__.py")
    graph = graph_of({name: file.read_text() for name, file in SOURCES.items()}, packages)
    assert sum(map(len, graph.values())) > 100
    TopologicalSorter(graph).prepare()
