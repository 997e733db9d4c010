"""The mock server of this repository, for the tests that need one."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

pytest_plugins = ["call_transfer._pytest_plugin", "pytester"]

REPOSITORY = Path(__file__).parents[2]


def pytest_configure(config: pytest.Config) -> None:
    """Starts it from its sources, by the workspace's own Node."""
    node = REPOSITORY / "node_modules/.bin/node"
    server = REPOSITORY / "packages/mock-server/src/cli.ts"
    if config.option.call_transfer_mock_command is None:
        config.option.call_transfer_mock_command = shlex.join([str(node), "--conditions=@call-transfer/source", str(server)])
