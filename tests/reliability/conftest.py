"""Every test of this folder is part of the ladder; their cases are added up by promise at the end."""

import os
import pathlib
import shutil
import tempfile

import pytest

from tests.reliability import account
from tests.reliability.account import Cases, Count

for cases_of in ("files", "answers", "forgetting", "memory"):  # so that a failed case says what it saw
    pytest.register_assert_rewrite(f"tests.reliability.bugs_of_{cases_of}")
HERE = pathlib.Path(__file__).parent
_cases = pytest.StashKey[Cases]()
_counts: dict[str, Count] = {}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.reliability)


@pytest.fixture
def cases(request):
    """Counts the cases of this test; failures are told together at its end."""
    found = Cases()
    request.node.stash[_cases] = found
    return found


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem):
    result = yield
    found = pyfuncitem.stash.get(_cases, None)
    if found is not None and found.failures:
        pytest.fail(found.text, pytrace=False)
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if HERE not in item.path.parents or (report.when != "call" and report.passed):
        return report
    found = item.stash.get(_cases, None)
    for mark in item.iter_markers("promise"):
        for promise in mark.args:
            count = _counts.setdefault(promise, Count())
            if report.skipped:
                count.add(Count(skipped=1, reasons=[_reason(report)]))
            elif found is not None and (found.passed or found.failures or found.skipped):
                failed = len(found.failures) or int(report.failed)
                count.add(Count(found.passed, failed, found.skipped, found.reasons, found.figures))
            else:
                count.add(Count(passed=int(report.passed), failed=int(report.failed)))
    return report


def _reason(report):
    text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return text.removeprefix("Skipped: ")


def pytest_terminal_summary(terminalreporter):
    if not _counts:
        return
    total = Count()
    for count in _counts.values():
        total.add(count)
    terminalreporter.section("reliability")
    terminalreporter.line(account.line(total))
    for reason in total.reasons:
        terminalreporter.line(f"skipped: {reason}")
    for figure in total.figures:
        terminalreporter.line(f"measured: {figure}")
    terminalreporter.line(account.table(_counts))


def pytest_sessionfinish():
    if account.REPORT:
        account.write_report(account.REPORT, _counts)


@pytest.fixture
def scratch():
    """A folder in memory where there is one, so that fsync costs nothing; gone afterwards."""
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    folder = pathlib.Path(tempfile.mkdtemp(prefix="memkit-reliability-", dir=base))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def disk(tmp_path):
    """A folder on the ordinary disk."""
    return tmp_path
