"""One server and one browser for all scenarios; without them, each says why it was left out."""

import importlib.util
import pathlib
import shutil

import pytest

from tests.browser.lab import ROOT, Lab

PICTURES = ROOT / "build" / "browser"
NAMES = ("chromium", "chromium-browser", "google-chrome")
PACKAGES = {"jupyterlab": "jupyterlab", "playwright": "playwright", "axe_playwright_python": "axe-playwright-python"}


ACCOUNT: list[tuple[int, int, int]] = []  # of each page: requests, those that wanted to leave, what got to run


def pytest_terminal_summary(terminalreporter):
    """What all pages together asked for, and where their pictures are."""
    if ACCOUNT:
        asked, left, ran = (sum(column) for column in zip(*ACCOUNT, strict=True))
        terminalreporter.write_line(
            f"{len(ACCOUNT)} pages made {asked:,} requests, {left} of them beyond the loopback; {ran} stored texts got to run; "
            f"pictures in {PICTURES.relative_to(ROOT)}"
        )


def chromium() -> str:
    """Where the system's Chromium is, or nothing."""
    return next((found for name in NAMES if (found := shutil.which(name))), "")


@pytest.fixture(scope="session")
def _tools():
    missing = [name for module, name in PACKAGES.items() if importlib.util.find_spec(module) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}; `make browser` installs them")
    if not chromium():
        pytest.skip(f"no Chromium on this machine: none of {', '.join(NAMES)}")


@pytest.fixture(scope="session")
def lab(_tools, tmp_path_factory):
    server = Lab(tmp_path_factory.mktemp("lab"))
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def browser(_tools):
    from playwright.sync_api import sync_playwright

    from tests.browser.desk import ARGUMENTS

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def axe(_tools) -> str:
    import axe_playwright_python

    return (pathlib.Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text("utf-8")


@pytest.fixture
def desk(browser, lab, axe, request):
    """A page of its own for each scenario; nothing on it may have left the loopback or run."""
    from tests.browser.desk import Desk

    desk = Desk(browser, lab, axe, PICTURES)
    yield desk
    desk.picture(f"last/{request.node.name}")
    alarms, asked, left = desk.alarms(), desk.asked, desk.left
    desk.close()
    ACCOUNT.append((asked, len(left), len(alarms)))
    assert alarms == []
    assert left == [], f"{len(left)} of {asked} requests wanted to leave the loopback"
    assert asked > 0
