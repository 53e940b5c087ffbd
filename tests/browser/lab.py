"""A JupyterLab server for one run: loopback, a token, a home of its own, a kernel of this very Python."""

import json
import os
import pathlib
import secrets
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).parents[2]
KERNEL = "memkit-test"
SETTINGS = {
    "@jupyterlab/apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "@jupyterlab/notebook-extension/tracker": {"windowingMode": "none", "autoStartDefaultKernel": True},
    "@jupyterlab/docmanager-extension/plugin": {"autosave": False},
}
KEPT = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "JUPYTER_PATH")


class Lab:
    """See the module.

    Args:
        base: A folder of the test; the server's home, its notebooks and its log go there.
    """

    def __init__(self, base: pathlib.Path) -> None:
        self.home = base / "home"
        self.notebooks = base / "notebooks"
        self.log = base / "lab.log"
        self.token = secrets.token_hex(24)
        self.port = free_port()
        for folder in (self.home, self.notebooks, base / "tmp"):
            folder.mkdir(parents=True)
        self.environment = {name: os.environ[name] for name in KEPT if name in os.environ} | {
            "HOME": str(self.home),
            "TMPDIR": str(base / "tmp"),
            "JUPYTER_CONFIG_DIR": str(base / "config"),
            "JUPYTER_DATA_DIR": str(base / "data"),
            "JUPYTER_RUNTIME_DIR": str(base / "runtime"),
            "JUPYTERLAB_SETTINGS_DIR": str(base / "settings"),
            "JUPYTERLAB_WORKSPACES_DIR": str(base / "workspaces"),
            "IPYTHONDIR": str(base / "ipython"),
            "JUPYTER_TOKEN": self.token,
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        _write(base / "data" / "kernels" / KERNEL / "kernel.json", _kernel())
        for name, values in SETTINGS.items():
            _write(base / "settings" / f"{name}.jupyterlab-settings", values)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--ip=127.0.0.1", f"--port={self.port}"]
        command += ["--ServerApp.port_retries=0", f"--ServerApp.root_dir={self.notebooks}", "--allow-root"]
        command += [
            "--LabApp.expose_app_in_browser=True",
            "--LabApp.news_url=None",
            "--ServerApp.terminals_enabled=False",
        ]
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                command, cwd=self.notebooks, env=self.environment, stdout=log, stderr=subprocess.STDOUT
            )
        self._wait(60)

    def _wait(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while True:
            if self._process.poll() is not None:
                raise RuntimeError(f"JupyterLab did not start:\n{self.log.read_text('utf-8')[-3_000:]}")
            try:
                request = urllib.request.Request(
                    f"{self.url}/api/status", headers={"Authorization": f"token {self.token}"}
                )
                with urllib.request.urlopen(request, timeout=5):
                    return
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                if time.monotonic() > until:
                    raise
                time.sleep(0.1)

    def stop(self) -> None:
        """The server ends its kernels itself."""
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def _kernel() -> dict:
    argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    return {"argv": argv, "display_name": KERNEL, "language": "python", "env": {"PYTHONPATH": str(ROOT)}}


def _write(path: pathlib.Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")


def free_port() -> int:
    """A port of the loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
