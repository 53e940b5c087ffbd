"""The page a person would have before them, driven by Playwright."""

import pathlib
import time
from urllib.parse import urlsplit

import nbformat

from tests.browser.lab import KERNEL, Lab

WIDTH, HEIGHT = 1280, 1000
WIDGET = "application/vnd.jupyter.widget-view+json"
THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}
PANEL = ".jp-NotebookPanel:not(.lm-mod-hidden)"
OUTPUTS = f"{PANEL} .jp-OutputArea-output"
ARGUMENTS = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-dev-shm-usage",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]  # fmt: skip
# Whatever stored text gets to run will want to do one of these.
ALARMS = """
window.memkitAlarms = [];
for (const name of ['alert', 'confirm', 'prompt', 'memkitFires'])
  window[name] = (...said) => { window.memkitAlarms.push(name + ': ' + said.join(' ')); return null; };
"""
AXE_RUN = """async (where) => (await axe.run({include: [[where]]})).violations.map(
  each => each.id + ': ' + each.help + ' | ' + each.nodes.slice(0, 40).map(node => node.html.slice(0, 160)).join(' | '))"""


def _only_handles(violation: str) -> bool:
    return all(" noUi-handle" in node.replace('"', " ") for node in violation.split(" | ")[1:])


class Desk:
    """One page, its notebooks, and an account of what it asked for.

    Args:
        browser: Chromium.
        lab: The server.
        axe: The source of axe-core.
        pictures: Where pictures land.
    """

    def __init__(self, browser, lab: Lab, axe: str, pictures: pathlib.Path) -> None:
        self.lab = lab
        self.axe_source = axe
        self.pictures = pictures
        self.left: list[str] = []
        self.unnamed = 0
        self.asked = 0
        self.port = lab.port
        self.theme = "light"
        self.context = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT}, reduced_motion="reduce")
        self.context.add_init_script(ALARMS)
        self.context.route("**/*", self._route)
        self.page = self.context.new_page()
        self.page.set_default_timeout(15_000)
        self.page.on("websocket", lambda socket: self._count(socket.url))

    def close(self) -> None:
        self.context.close()

    def _route(self, route) -> None:
        if self._count(route.request.url):
            route.continue_()
        else:
            route.abort()

    def _count(self, url: str) -> bool:
        self.asked += 1
        parts = urlsplit(url)
        stays = parts.scheme in {"data", "blob"} or (parts.hostname == "127.0.0.1" and parts.port == self.port)
        if not stays:
            self.left.append(url)
        return stays

    # -- notebooks ---------------------------------------------------------------------------------------------------

    def write(self, name: str, *cells: str) -> pathlib.Path:
        """A notebook of code cells."""
        notebook = nbformat.v4.new_notebook(
            cells=[nbformat.v4.new_code_cell(cell.strip("\n")) for cell in cells],
            metadata={"kernelspec": {"name": KERNEL, "display_name": KERNEL, "language": "python"}},
        )
        path = self.lab.notebooks / f"{name}.ipynb"
        nbformat.write(notebook, path)
        return path

    def open(self, name: str, *, kernel: bool = True) -> None:
        """Open a notebook in a fresh workspace; with its kernel idle, or without waiting for one."""
        self.page.goto(f"{self.lab.url}/lab/tree/{name}.ipynb?reset&token={self.lab.token}")
        self.page.wait_for_selector(".jp-Notebook .jp-Cell")
        self._until(
            f"() => {{ const c = jupyterapp.shell.currentWidget; return !!c && !!c.content && !!c.content.rendermime"
            f" && c.content.rendermime.mimeTypes.includes('{WIDGET}') }}"
        )
        if kernel:
            self._until(
                "() => { const s = jupyterapp.shell.currentWidget.sessionContext.session;"
                " return !!s && !!s.kernel && s.kernel.status === 'idle' }"
            )
        self.set_theme(self.theme)

    def run(self, name: str, *cells: str, fails: bool = False, seconds: float = 90) -> None:
        """Write a notebook, open it, run all of it, wait until it has run."""
        self.write(name, *cells)
        self.open(name)
        self.run_all(seconds=seconds)
        if not fails:
            errors = self.errors()
            assert not errors, "\n".join(errors)[-2_000:]

    def run_all(self, *, seconds: float = 90) -> None:
        """Run every cell of the notebook in front; wait until the kernel has nothing more to do."""
        # The promise of a command is never awaited: `evaluate` has no time limit.
        self.page.evaluate(
            "() => { window.memkitRan = false; jupyterapp.commands.execute('notebook:run-all-cells').finally(() => { window.memkitRan = true }); return null }"
        )
        self._until(
            "() => window.memkitRan === true && jupyterapp.shell.currentWidget.sessionContext.session.kernel.status === 'idle'",
            seconds,
        )
        self.settle()

    def dismiss(self) -> None:
        """Close the question for a kernel that is not there."""
        self.settle(500)
        if self.page.locator(".jp-Dialog").count():
            self.page.keyboard.press("Escape")
            self.settle()

    def run_cell(self, number: int, *, seconds: float = 60) -> None:
        """Run one cell, counted from 0, and wait for it."""
        self.page.evaluate(
            f"() => {{ window.memkitRan = false; jupyterapp.shell.currentWidget.content.activeCellIndex = {number};"
            " jupyterapp.commands.execute('notebook:run-cell').finally(() => { window.memkitRan = true }); return null }"
        )
        self._until("() => window.memkitRan === true", seconds)
        self.settle()

    def output(self, number: int):
        """The outputs of one cell, counted from 0."""
        return self.page.locator(f"{PANEL} .jp-Cell").nth(number).locator(".jp-Cell-outputWrapper")

    def _until(self, condition: str, seconds: float = 60) -> None:
        self.page.wait_for_function(condition, timeout=seconds * 1_000, polling=50)

    def settle(self, milliseconds: int = 250) -> None:
        """Let the page lay out what came last."""
        self.page.wait_for_timeout(milliseconds)

    def errors(self) -> list[str]:
        """The tracebacks among the outputs."""
        return self.page.locator(
            f"{OUTPUTS}[data-mime-type='application/vnd.jupyter.stderr'], .jp-RenderedText[data-mime-type='application/vnd.jupyter.error']"
        ).all_inner_texts()

    def save(self, name: str) -> dict:
        """Save the notebook in front; what is in the file then."""
        path = self.lab.notebooks / f"{name}.ipynb"
        before = path.stat().st_mtime_ns
        self.page.evaluate("() => { jupyterapp.commands.execute('docmanager:save'); return null }")
        until = time.monotonic() + 30
        while path.stat().st_mtime_ns == before and time.monotonic() < until:
            self.settle(50)
        self.settle()
        return nbformat.read(path, as_version=4)

    def close_kernel(self) -> None:
        """End the kernel of the notebook in front."""
        self.page.evaluate(
            "() => { window.memkitRan = false; jupyterapp.shell.currentWidget.sessionContext.shutdown().finally(() => { window.memkitRan = true }); return null }"
        )
        self._until("() => window.memkitRan === true")

    # -- looking -----------------------------------------------------------------------------------------------------

    def set_theme(self, theme: str) -> None:
        """JupyterLab's own light or dark theme."""
        self.theme = theme
        self.page.emulate_media(color_scheme=theme)
        self.page.evaluate(
            f"() => {{ jupyterapp.commands.execute('apputils:change-theme', {{theme: '{THEMES[theme]}'}}); return null }}"
        )
        self._until(f"() => document.body.dataset.jpThemeName === '{THEMES[theme]}'")
        self.settle()

    def outputs(self):
        """The outputs of the notebook in front."""
        return self.page.locator(OUTPUTS)

    def said(self) -> str:
        """All that the outputs say, as it is seen."""
        return "\n".join(self.outputs().all_inner_texts())

    def axe(self, where: str = ".jp-NotebookPanel:not(.lm-mod-hidden) .jp-OutputArea") -> list[str]:
        """What axe-core has against the outputs."""
        if not self.page.evaluate("() => typeof axe !== 'undefined'"):
            self.page.evaluate(self.axe_source + "; null")
        found = self.page.evaluate(AXE_RUN, where)
        # ipywidgets gives the handles of its sliders no name; beside each slider stands a labelled control that does the same.
        self.unnamed += sum(each.startswith("aria-input-field-name") for each in found)
        return [each for each in found if not (each.startswith("aria-input-field-name") and _only_handles(each))]

    def overflows(self) -> list[str]:
        """Outputs that are wider than the room they have; what scrolls within itself is not."""
        return self.page.evaluate(
            """where => [document.scrollingElement, ...document.querySelectorAll('.jp-WindowedPanel-outer'), ...document.querySelectorAll(where), ...document.querySelectorAll(where + ' .memkit')]
            .filter(each => each.scrollWidth > each.clientWidth + 1)
            .map(each => each.className + ' ' + each.scrollWidth + ' > ' + each.clientWidth + ': ' + each.innerText.slice(0, 80))""",
            OUTPUTS,
        )

    def alarms(self) -> list[str]:
        """What stored text got to run; none, ever."""
        return self.page.evaluate("() => window.memkitAlarms")

    def picture(self, name: str, where=None) -> None:
        """A picture of one output, or of the whole page."""
        path = self.pictures / self.theme / f"{name}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        (self.page if where is None else where).screenshot(path=str(path), animations="disabled")

    def both(self, *names: str) -> list[str]:
        """Pictures of the outputs, cell by cell, in light and dark, and what axe-core has against either."""
        found = []
        for theme in THEMES:
            self.set_theme(theme)
            self._grow()
            areas = self.page.locator(
                ".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Cell-outputWrapper:has(.jp-OutputArea-output)"
            )
            assert areas.count() == len(names)
            for i, name in enumerate(names):
                self.picture(name, areas.nth(i))
            found += [f"{theme}: {each}" for each in self.axe()]
            self.page.set_viewport_size({"width": WIDTH, "height": HEIGHT})
        self.set_theme("light")
        return found

    def _grow(self) -> None:
        """A window as tall as the tallest output, so that a picture holds all of it."""
        tallest = self.page.evaluate(
            "where => Math.max(0, ...Array.from(document.querySelectorAll(where), each => each.offsetHeight))", OUTPUTS
        )
        self.page.set_viewport_size({"width": WIDTH, "height": min(6_000, max(HEIGHT, int(tallest) + 300))})
        self.settle()
