import pytest

import call_transfer


def test_every_public_name_is_there() -> None:
    for name in call_transfer.__all__:
        assert getattr(call_transfer, name) is not None
    assert dir(call_transfer) == sorted(call_transfer.__all__)


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(AttributeError, match="no attribute 'unknown'"):
        _ = call_transfer.unknown
