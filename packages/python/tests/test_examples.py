"""The programs in examples/python, as the pages of the repository show them: each runs against a mock server, and prints the same."""

from __future__ import annotations

import inspect
import os
import re
import shlex
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest

from call_transfer import CallTransfer, RequestOptions, RetryOptions
from call_transfer.testing import MockServer, Sandbox, demo, open_sandbox

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "examples/python"
MARK = "packages/python/tests/test_examples.py"
CACHE = ROOT / ".cache"
SOURCE = str(ROOT / "packages/python/src")


@dataclass(frozen=True)
class Block:
    """A fenced block of a page with the comment above it."""

    page: str
    language: str
    comment: str
    text: str


@dataclass(frozen=True)
class Shown:
    """A program that a page shows, and what it prints if the page says so."""

    page: str
    path: str
    text: str
    output: str | None = field(default=None)


def blocks_of(page: Path) -> list[Block]:
    pattern = re.compile(r"^(?:<!-- (.*) -->\n\n)?```(\w*)\n((?:.*\n)*?)```$", re.MULTILINE)
    name = str(page.relative_to(ROOT))
    return [Block(name, found[2], found[1] or "", found[3]) for found in pattern.finditer(page.read_text())]


def programs() -> Iterator[Shown]:
    for page in [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]:
        blocks = blocks_of(page)
        for place, block in enumerate(blocks):
            if block.language == "python":
                command = f"python {block.comment.rpartition('/')[2]}\n"
                runs = [at for at, one in enumerate(blocks) if one.language == "sh" and one.text == command]
                yield Shown(block.page, block.comment, block.text, output_below(blocks, runs[0] if runs else place))


def output_below(blocks: list[Block], place: int) -> str | None:
    """The output right below a block. If that is another language's, the next one is marked."""
    outputs: list[Block] = []
    for one in blocks[place + 1 :]:
        if one.language != "text":
            break
        outputs.append(one)
    marked = [one.text for one in outputs if one.comment == f"test: {MARK}"]
    plain = [one.text for one in outputs[:1] if one.comment == ""]
    return next(iter(marked + plain), None)


def linked() -> Iterator[Shown]:
    """The programs that pages link to. They print the same as the program in TypeScript of the same name, if the page shows that."""
    for page in [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]:
        blocks = blocks_of(page)
        named = {one.comment: place for place, one in enumerate(blocks)}
        for path in re.findall(r"\]\((?:\.\./)*(examples/[\w./-]+\.py)\)", page.read_text()):
            place = named.get(path.replace("/python/", "/").replace("_", "-").replace(".py", ".ts"))
            output = None if place is None else output_below(blocks, place)
            yield Shown(str(page.relative_to(ROOT)), path, (ROOT / path).read_text(), output)


SHOWN = list(programs())
LINKED = list(linked())
PRINTING = {shown.path: shown for shown in SHOWN + LINKED if shown.output is not None}
IDS = sorted({shown.path for shown in SHOWN})


def matches(printed: str, shown: str) -> bool:
    """Whether a program printed what a page shows: … stands for the rest of a line, and alone for any lines."""
    pattern = re.sub(r"(?m)^ *…$", r"[\\s\\S]*?", re.escape(shown.strip()).replace("\\\n", "\n")).replace("…", "[^\n]*?")
    return re.fullmatch(pattern, printed.strip()) is not None


def run(path: Path, server: MockServer, *options: str) -> str:
    environment = {**os.environ, "PYTHONPATH": SOURCE, "CALL_TRANSFER_MOCK_URL": server.url, "PYTHONWARNINGS": "error"}
    ended = subprocess.run(
        [sys.executable, *options, str(path)], capture_output=True, text=True, check=False, env=environment, cwd=path.parent
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    # A warning in a destructor does not end the program.
    assert "ResourceWarning" not in ended.stderr
    return ended.stdout


def test_each_program_is_linked_or_shown_as_it_is() -> None:
    # A test of the site compares those of its reference.
    shown_there = set((EXAMPLES / "reference").iterdir())
    files = {str(path.relative_to(ROOT)): path.read_text() for path in EXAMPLES.rglob("*.py") if path not in shown_there}
    assert {shown.path for shown in SHOWN + LINKED} == set(files)
    assert [f"{shown.page}: {shown.path}" for shown in SHOWN if shown.text != files[shown.path]] == []


@pytest.mark.parametrize("path", sorted(PRINTING))
def test_a_program_prints_what_its_page_shows(path: str, call_transfer_server: MockServer) -> None:
    shown = PRINTING[path]
    assert shown.output is not None
    printed = run(ROOT / path, call_transfer_server)
    assert matches(printed, shown.output), f"{shown.page} shows\n{shown.output}\nIt printed\n{printed}"


RUNNING = {one.path for one in LINKED if re.search(r"open_sandbox\(|from stand_in", one.text)} - set(PRINTING)


@pytest.mark.parametrize("path", sorted(RUNNING))
def test_a_program_that_pages_link_to_runs_to_its_end(path: str, call_transfer_server: MockServer) -> None:
    assert run(ROOT / path, call_transfer_server) != ""


@pytest.mark.parametrize("name", sorted(path.name for path in (EXAMPLES / "reference").glob("*.py")))
def test_a_program_of_the_reference_prints_its_result(name: str, call_transfer_server: MockServer) -> None:
    path = EXAMPLES / "reference" / name
    assert (run(path, call_transfer_server) != "") == ("print(" in path.read_text())


def test_quick_start_runs(call_transfer_server: MockServer) -> None:
    assert re.match(
        r"call [-0-9a-f]{36} is being placed\n(?:(?:in|out)bound call .*\n){4}$", run(EXAMPLES / "quick_start.py", call_transfer_server)
    )


def test_the_receiver_takes_offers_and_withstands_an_attack(
    call_transfer_server: MockServer, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    program = tmp_path / "receiver.py"
    program.write_text((EXAMPLES / "start/receiver.py").read_text().replace("3000", str(port)))
    # The receiver has the time of this machine.
    now = datetime.now(UTC).isoformat()
    with (
        open_sandbox(server=call_transfer_server, clock_mode="running", now=now) as sandbox,
        subprocess.Popen(
            [sys.executable, str(program)],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": SOURCE, "CALL_TRANSFER_SIGNING_SECRET": demo.signing_secret},
        ) as process,
    ):
        try:
            assert process.stdout is not None
            printed = process.stdout.readline()
            sandbox.forward_webhooks_to(f"http://127.0.0.1:{port}/offers")
            while "status" not in (delivery := sandbox.trigger_offer()):
                assert process.poll() is None
            assert delivery["accepted"]
            assert sandbox.trigger_offer()["accepted"]
            printed += process.stdout.readline() + process.stdout.readline()
            command = shlex.split(pytestconfig.getini("call_transfer_mock_command"))
            secret = {"CALL_TRANSFER_SIGNING_SECRET": demo.signing_secret}
            attack = subprocess.run(
                [*command, "attack", f"http://127.0.0.1:{port}/offers"],
                capture_output=True,
                text=True,
                check=False,
                env={**os.environ, **secret},
                cwd=pytestconfig.rootpath,
            )
        finally:
            process.terminate()
    page = blocks_of(ROOT / "docs/start/receive-offers.md")
    shown = next(block.text for block in page if block.comment == "printed by: node receiver.mjs")
    assert matches(printed.replace(str(port), "3000"), shown)
    report = next(block.text for block in page if block.text.startswith("Attacked"))
    assert matches(attack.stdout.replace(str(port), "3000"), report), attack.stdout + attack.stderr


@pytest.mark.parametrize("path", ["test_calls.py", "start/test_remind.py"])
def test_the_tests_that_pages_show_pass(path: str, call_transfer_server: MockServer) -> None:
    options = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "call_transfer._pytest_plugin", "--rootdir=.")
    assert "passed" in run(EXAMPLES / path, call_transfer_server, *options)


def test_handle_errors_says_what_came_of_a_request(call_transfer: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    from handle_errors import create_group, place_call  # type: ignore[import-not-found]

    client = call_transfer.client()
    phone = [demo.destinations.phone]
    assert create_group(client, "Front desk", phone).startswith("created ")
    assert create_group(client, "Front desk", phone) == "the name Front desk is taken"
    assert create_group(client, "", []) == "name: too_short, members: too_short"
    call = (demo.flows.published, demo.numbers.working, demo.recipients.anyone)
    call_transfer.add_fault({"do": {"status": 502}})
    assert place_call(client, *call).startswith("perhaps placed, 0 candidates")
    assert place_call(client, *call) == "initiated"


def check(*command: str) -> None:
    environment = {**os.environ, "MYPYPATH": SOURCE}
    ended = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, check=False, cwd=EXAMPLES, env=environment)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_the_programs_pass_mypy_as_strict_as_it_is() -> None:
    # Django has no types.
    files = sorted(str(path.relative_to(EXAMPLES)) for path in EXAMPLES.rglob("*.py") if "django" not in path.name)
    check("mypy", "--strict", "--no-error-summary", f"--cache-dir={CACHE / 'mypy-examples'}", *files)


def test_the_programs_pass_ruff() -> None:
    check("ruff", "check", "--no-cache", ".")
    check("ruff", "format", "--no-cache", "--check", ".")


def test_the_page_about_python_lists_every_option() -> None:
    page = (ROOT / "docs/python.md").read_text()
    section = page[page.index("## Options") : page.index("## Types")]
    listed = {name for row in re.findall(r"(?m)^\| (`.*?`) \|", section) for name in re.findall(r"`(\w+)`", row)}
    given = {name for name in inspect.signature(CallTransfer).parameters if not name.startswith("_")}
    assert listed == given | RequestOptions.__annotations__.keys()
    retry = next(row for row in section.splitlines() if row.startswith("| `retry`"))
    assert set(re.findall(r"`(\w+)`", retry)) == {"retry", *RetryOptions.__annotations__}
