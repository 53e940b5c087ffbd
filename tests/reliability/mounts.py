"""Small file systems of one's own: loop devices and tmpfs in a private mount namespace.

A program of the ladder runs itself again under `unshare -m`: what it mounts there is seen by nobody else and goes with
it. Where the machine does not allow that, the test is skipped with the reason.
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from tests.reliability import account

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[1]
FS_IOC_SHUTDOWN = 0x8004587D
NO_LOG_FLUSH = 2
FIFREEZE, FITHAW = 0xC0045877, 0xC0045878
SIZES = {"ext4": 64, "xfs": 320, "btrfs": 160}
_MAKE = {
    "ext4": ["mkfs.ext4", "-q", "-F", "-O", "^metadata_csum_seed"],
    "xfs": ["mkfs.xfs", "-q", "-f"],
    "btrfs": ["mkfs.btrfs", "-q", "-f"],
}


def why_not(*tools: str) -> str:
    """Why file systems cannot be mounted here, or ""."""
    if sys.platform != "linux":
        return "needs Linux"
    if os.geteuid() != 0:
        return "needs root, to mount file systems of its own"
    for tool in ("unshare", "mount", *tools):
        if shutil.which(tool) is None:
            return f"{tool} is not installed"
    done = subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False)
    return "this machine allows no mount namespace of one's own" if done.returncode else ""


def run_apart(module: str, *arguments: str, timeout: float) -> dict:
    """Run a module of the ladder in its own mount namespace; the JSON object it prints last.

    Skips the test where it says that it cannot work here.
    """
    words = ["unshare", "-m", "--propagation", "private", sys.executable, "-m", module, *arguments]
    with subprocess.Popen(
        words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        env={**os.environ, **account.asked_for(), "PYTHONPATH": str(ROOT)},
    ) as process:  # fmt: skip
        try:
            out, err = process.communicate(timeout=timeout)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)  # with the writers it has begun
            raise
    if process.returncode:
        raise AssertionError(f"{module} failed: {out[-2000:]}{err[-4000:]}")
    lines = out.strip().split("\n")
    answer = json.loads(lines[-1])
    if "skip" in answer:
        pytest.skip(answer["skip"])
    return answer


class Refused(Exception):
    """The machine does not let this be mounted; the message says what."""


def mount(*words: str) -> None:
    """Mount something."""
    done = subprocess.run(["mount", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Refused(f"mount {' '.join(words)}: {done.stderr.strip()}")


def unmount(place: pathlib.Path) -> None:
    """Unmount, waiting for nobody."""
    subprocess.run(["umount", str(place)], capture_output=True, check=True)


@contextmanager
def tmpfs(place: pathlib.Path, options: str) -> Iterator[pathlib.Path]:
    """A tmpfs of its own size at `place`."""
    place.mkdir(parents=True, exist_ok=True)
    mount("-t", "tmpfs", "-o", options, "tmpfs", str(place))
    try:
        yield place
    finally:
        unmount(place)


class Disk:
    """A file system in a file, mounted through a loop device."""

    def __init__(self, kind: str, folder: pathlib.Path) -> None:
        self.kind = kind
        self.image = folder / f"{kind}.img"
        self.place = folder / f"{kind}-mount"
        self.place.mkdir()
        with self.image.open("wb") as file:
            file.truncate(SIZES[kind] * 1024 * 1024)
        done = subprocess.run([*_MAKE[kind], str(self.image)], capture_output=True, text=True, check=False)
        if done.returncode:
            raise Refused(f"mkfs.{kind}: {done.stderr.strip()}")
        self.mounted = False

    def mount(self) -> None:
        """Mount it; the journal is replayed."""
        mount("-t", self.kind, "-o", "loop", str(self.image), str(self.place))
        self.mounted = True

    def cut_power(self) -> None:
        """Nothing that is not on the disk by now ever gets there."""
        descriptor = os.open(self.place, os.O_RDONLY)
        try:
            fcntl.ioctl(descriptor, FS_IOC_SHUTDOWN, ctypes.c_uint32(NO_LOG_FLUSH))
        finally:
            os.close(descriptor)

    def unmount(self) -> None:
        """Unmount it, shut down or not."""
        if self.mounted:
            unmount(self.place)
            self.mounted = False

    def close(self) -> None:
        """Let go of everything."""
        with suppress(subprocess.CalledProcessError):
            self.unmount()


def answer(value: dict) -> None:
    """Print the last line of a program run apart."""
    sys.stdout.write(json.dumps(value) + "\n")
