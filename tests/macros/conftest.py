"""What several tests of the package start from."""

import pytest

from macros.library import Library, load
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def library() -> Library:
    """The records of the project."""
    found, findings = load(ROOT)
    assert findings == []
    return found
