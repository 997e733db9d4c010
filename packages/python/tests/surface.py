"""Writes what the package promises to programs: its public names and all that they lead to, with signatures, defaults and bases.

The release gate compares surface.json with that of the last release, so it needs no Python. What is generated from the contract
stands there by the names of its fields and parameters; their types are compared in the contract itself.
"""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path
from typing import Any

import griffe

PACKAGE = Path(__file__).parent.parent
MODULES = (
    "call_transfer",
    "call_transfer.testing",
    "call_transfer.webhooks",
    "call_transfer.webhooks.postgres",
    "call_transfer.webhooks.redis",
)
# Two classes that are not public, with the defaults of options that no signature shows.
RETRIES, WEBHOOKS = "call_transfer._options.RetryPolicy", "call_transfer.webhooks._options.Settings"
GENERATED = "call_transfer._generated."
# The client alone creates instances of these, so their constructors may change.
RECEIVED = {
    *("ApiResponse", "AsyncPages", "Attempt", "MockServer", "OutcomeWindow", "Pages", "Reconciliation"),
    *("RequestErrorDetails", "ApiErrorDetails", "RetryEvent", "Sandbox", "UnknownWebhookEvent", "ReadinessProblem"),
}
# Special methods that a statement or an operator calls. Python calls others by itself, such as __repr__.
SPECIAL = {"__init__", "__call__", "__enter__", "__exit__", "__aenter__", "__aexit__", "__iter__", "__aiter__", "__next__", "__anext__"}
KINDS = {
    griffe.ParameterKind.positional_only: "positional",
    griffe.ParameterKind.positional_or_keyword: "either",
    griffe.ParameterKind.keyword_only: "keyword",
    griffe.ParameterKind.var_positional: "rest",
    griffe.ParameterKind.var_keyword: "rest of keywords",
}
Facts = dict[str, Any]
Expression = str | griffe.Expr | None


# The methods of the resources call these. `request` and `list` are for programs. pydantic reads the last.
INTERNAL = {"perform", "fetch", "model_config"}


def is_public(name: str) -> bool:
    """Whether a name of a module or class is for programs."""
    return (not name.startswith("_") or name in SPECIAL) and name not in INTERNAL


class Surface:
    """The declarations that public names lead to, by their names."""

    def __init__(self) -> None:
        self.root = griffe.load("call_transfer", search_paths=[PACKAGE / "src"], allow_inspection=False, resolve_aliases=True)
        self.paths: dict[str, str] = {}
        self.declarations: Facts = {}
        self.exports = {module: self.names_in(module) for module in MODULES}

    def modules(self) -> Facts:
        """Returns the public names by module, and collects what they lead to."""
        for module, names in self.exports.items():
            for name in names:
                self.declare(name, self.at(f"{module}.{name}"))
        return dict(self.exports)

    def fixtures(self) -> list[str]:
        """The names of the fixtures for pytest."""
        members = self.at("call_transfer._pytest_plugin").members
        return sorted(
            name
            for name, one in members.items()
            if isinstance(one, griffe.Function) and any("pytest.fixture" in str(each.value) for each in one.decorators)
        )

    def defaults(self) -> Facts:
        """The defaults of options that no signature shows."""
        classes = {"retry": RETRIES, "webhooks": WEBHOOKS}
        members = {f"{kind}.{name}": one for kind, path in classes.items() for name, one in self.at(path).members.items()}
        values = {name: one.value for name, one in sorted(members.items()) if isinstance(one, griffe.Attribute)}
        return {name: self.value_of(value) for name, value in values.items() if value is not None}

    def names_in(self, module: str) -> list[str]:
        """The names that a program may import from a module."""
        members = self.at(module).members
        exports = {str(name) for name in self.at(module).exports or ()}
        if module == "call_transfer":
            # It loads names when they are first used, so its imports are for type checkers alone.
            exports = {
                name for name, one in members.items() if isinstance(one, griffe.Alias) and one.target_path.startswith("call_transfer.")
            }
            exports -= {name for name in exports if name.startswith("_") or name in ("ERRORS", "MODELS")}
        exports = exports or {name for name, one in members.items() if is_public(name) and not one.is_alias}
        return sorted(exports)

    def at(self, path: str) -> griffe.Object:
        """What a path names, wherever it is declared."""
        found = self.root[path.removeprefix("call_transfer").removeprefix(".")] if path != "call_transfer" else self.root
        return found.final_target if isinstance(found, griffe.Alias) else found

    def known(self, path: str) -> griffe.Object | None:
        """What a path names in this package; None for anything else, such as `str`."""
        try:
            return self.at(path) if path.startswith("call_transfer.") else None
        except (KeyError, griffe.GriffeError):
            return None

    def declare(self, name: str, one: griffe.Object) -> None:
        """Adds a declaration, and what it leads to."""
        path = self.paths.setdefault(name, one.canonical_path)
        if path != one.canonical_path:
            message = f"{name} is both {path} and {one.canonical_path}. Rename one of them."
            raise ValueError(message)
        if name in self.declarations:
            return
        self.declarations[name] = {}
        self.declarations[name] = self.facts_of(one)

    def facts_of(self, one: griffe.Object) -> Facts:
        """What a declaration promises."""
        if isinstance(one, griffe.Class):
            return self.class_facts(one)
        if isinstance(one, griffe.Function):
            return self.function_facts(one)
        is_alias = isinstance(one, griffe.Attribute) and (
            "TypeAlias" in str(one.annotation) or not (one.annotation or one.name.isupper())
        )
        if is_alias and isinstance(one, griffe.Attribute):
            return {"kind": "alias", **self.type_of(one, one.value)}
        return self.attribute_facts(one)

    def class_facts(self, one: griffe.Class) -> Facts:
        """What a class promises: its bases, and its members with those of bases that are not public."""
        bases: list[str] = []
        members: dict[str, Facts] = {}
        ancestors = [one, *self.private_bases(one, bases)]
        kind = self.kind_of(one, bases)
        for each in reversed(ancestors):
            for name, member in each.members.items():
                if name == "__init__" and not self.is_created(one, kind):
                    continue
                if is_public(name) and not member.is_alias and not (each is not one and name == "__init__" and name in one.members):
                    members[name] = self.member_facts(member, kind, each)
        return {"kind": kind, **({"bases": sorted(set(bases))} if bases else {}), "members": dict(sorted(members.items()))}

    def is_created(self, one: griffe.Class, kind: str) -> bool:
        """Whether programs create instances."""
        return kind != "error" and one.name not in RECEIVED and not one.canonical_path.startswith(GENERATED)

    def kind_of(self, one: griffe.Class, bases: list[str]) -> str:
        """The kind of a class, which decides who makes its instances."""
        lineage = [*bases, *(base for each in bases for base in self.declarations.get(each, {}).get("bases", []))]
        kinds = {"TypedDict": "dictionary", "Protocol": "protocol", "Exception": "error", "Enum": "enum"}
        parents = [self.declarations.get(base, {}).get("kind") for base in bases]
        found = [kinds[base] for base in lineage if base in kinds] + [kind for kind in parents if kind in kinds.values()]
        return found[0] if found else "class"

    def private_bases(self, one: griffe.Class, bases: list[str]) -> list[griffe.Class]:
        """The bases that are not public, each before its own. Adds the others to `bases`."""
        found: list[griffe.Class] = []
        for base in one.bases:
            path = base if isinstance(base, str) else base.canonical_path
            target = self.known(path)
            name = path.rpartition(".")[2]
            if isinstance(target, griffe.Class) and not self.is_public_name(name):
                found += [target, *self.private_bases(target, bases)]
            elif isinstance(target, griffe.Class):
                self.declare(name, target)
                bases.append(name)
            elif name not in ("object", "Generic"):
                bases.append(name)
        return found

    def is_public_name(self, name: str) -> bool:
        """Whether a module exports a name."""
        return any(name in names for names in self.exports.values())

    def member_facts(self, member: griffe.Object | griffe.Alias, kind: str, owner: griffe.Class) -> Facts:
        """What a member of a class promises."""
        target = member.final_target if isinstance(member, griffe.Alias) else member
        if isinstance(target, (griffe.Class, griffe.Function)):
            return self.facts_of(target)
        facts = self.attribute_facts(target)
        if kind != "dictionary" or not isinstance(target, griffe.Attribute):
            return facts
        annotation = str(target.annotation)
        total = str(dict(owner.keywords).get("total", "True")) != "False" if hasattr(owner, "keywords") else True
        return {**facts, "kind": "key", "required": total and not annotation.startswith("NotRequired[")}

    def attribute_facts(self, one: griffe.Object) -> Facts:
        """What an attribute, property or constant promises. Its value may change."""
        if not isinstance(one, griffe.Attribute):
            return {"kind": one.kind.value}
        return {"kind": "property" if "property" in one.labels else "attribute", **self.type_of(one, one.annotation)}

    def function_facts(self, one: griffe.Function) -> Facts:
        """What a function or method promises."""
        kind = "function"
        for label, named in (("classmethod", "class method"), ("staticmethod", "static method"), ("async", "async function")):
            kind = named if label in one.labels else kind
        parameters = {
            each.name: {
                "kind": KINDS[each.kind or griffe.ParameterKind.positional_or_keyword],
                **self.type_of(one, each.annotation),
                **self.default_of(one, each),
            }
            for each in one.parameters
            if each.name not in ("self", "cls") and not each.name.startswith("_")
        }
        returns = {} if one.name == "__init__" else self.type_of(one, one.returns, "returns")
        return {"kind": kind, "parameters": parameters, **returns}

    def default_of(self, one: griffe.Function, parameter: griffe.Parameter) -> Facts:
        """The default of a parameter: the value itself where a constant of the package holds it."""
        rest = (griffe.ParameterKind.var_positional, griffe.ParameterKind.var_keyword)
        if parameter.default is None or parameter.kind in rest:
            return {}
        return {"default": self.value_of(parameter.default)}

    def value_of(self, value: str | griffe.Expr) -> str:
        """A value as it is written, or that of the constant which it names."""
        target = self.known(value.canonical_path) if isinstance(value, griffe.Expr) else None
        constant = target.value if isinstance(target, griffe.Attribute) else None
        return constant if isinstance(constant, str) else str(value)

    def type_of(self, one: griffe.Object, annotation: Expression, key: str = "type") -> Facts:
        """A type, unless the contract holds it. What it leads to is added."""
        if annotation is None or str(annotation) == "Final":
            return {}
        for name, path in self.named_in(annotation):
            target = self.known(path)
            if isinstance(target, (griffe.Class, griffe.Attribute)) and "typevar" not in str(getattr(target, "value", "")).lower():
                self.declare(name, target)
        if one.canonical_path.startswith(GENERATED) and not (one.parent and one.parent.name.endswith("Resources")):
            return {}
        text = str(annotation)
        for wrapper in ("NotRequired", "Required", "Final", "ClassVar"):
            if text.startswith(f"{wrapper}[") and text.endswith("]"):
                text = text[len(wrapper) + 1 : -1]
        return {key: text}

    def named_in(self, annotation: str | griffe.Expr) -> list[tuple[str, str]]:
        """The names that a type refers to, each with the path of its declaration."""
        if isinstance(annotation, str):
            return []
        return [(each.name, each.canonical_path) for each in annotation.iterate() if isinstance(each, griffe.ExprName)]


def installation() -> Facts:
    """What pyproject.toml promises: where the package can be installed, and with what."""
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {
        "python": project["requires-python"],
        "dependencies": sorted(project["dependencies"]),
        "extras": {name: sorted(needs) for name, needs in sorted(project.get("optional-dependencies", {}).items())},
        "entry points": {
            f"{group} {name}": target
            for group, table in sorted(project["entry-points"].items())
            for name, target in sorted(table.items())
        },
    }


def as_text(value: Any, indent: str = "", line_width: int = 132) -> str:
    """JSON in which everything that fits stands on one line."""
    line = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (dict, list)) or len(line) + len(indent) < line_width:
        return line
    deeper = indent + "  "
    if isinstance(value, list):
        rows = [deeper + as_text(each, deeper, line_width) for each in value]
        return "[\n" + ",\n".join(rows) + f"\n{indent}]"
    rows = [f"{deeper}{json.dumps(key)}: {as_text(each, deeper, line_width)}" for key, each in value.items()]
    return "{\n" + ",\n".join(rows) + f"\n{indent}}}"


def main() -> None:
    """Prints the surface."""
    surface = Surface()
    modules = surface.modules()
    whole = {
        "installation": installation(),
        "pytest": surface.fixtures(),
        "defaults": surface.defaults(),
        "modules": modules,
        "declarations": dict(sorted(surface.declarations.items())),
    }
    sys.stdout.write(as_text(whole) + "\n")


if __name__ == "__main__":
    main()
