"""`python -m tests.gallery`: draw every picture of the gallery in light and dark."""

import pathlib
import sys
import tempfile

from playwright.sync_api import sync_playwright

from tests.browser.conftest import chromium
from tests.browser.desk import ARGUMENTS, Desk
from tests.browser.lab import Lab
from tests.gallery.pictures import FOLDER, LIVE, MOST_BYTES, PICTURES, THEMES, Live

WIDTH = 760
WINDOW = {"width": 1_180, "height": 2_000}
FROM_THE_TOP = (
    "() => document.querySelector('.jp-NotebookPanel:not(.lm-mod-hidden) .jp-WindowedPanel-outer').scrollTo(0, 0)"
)
# What JupyterLab says of its two themes.
COLOURS = {"light": ("#ffffff", "rgba(0, 0, 0, 0.87)"), "dark": ("#111111", "rgba(255, 255, 255, 0.87)")}
PAGE = """<!DOCTYPE html><meta charset="utf-8">
<style>body {{ margin: 0; background: {paper}; color: {ink}; color-scheme: {theme}; font-family: system-ui, sans-serif;
--jp-layout-color0: {paper}; --jp-content-font-color1: {ink}; }}
#output {{ padding: 12px 14px; width: {width}px; max-height: {height}px; overflow: hidden; box-sizing: border-box; }}</style>
<div id="output">{html}</div>"""


def still(browser) -> None:
    """The stored outputs of the notebooks."""
    for picture in PICTURES:
        for theme in THEMES:
            paper, ink = COLOURS[theme]
            page = browser.new_page(viewport={"width": WIDTH, "height": picture.height})
            page.route("**/*", lambda route: route.abort())
            page.set_content(
                PAGE.format(paper=paper, ink=ink, theme=theme, width=WIDTH, height=picture.height, html=picture.html())
            )
            page.wait_for_function("Array.from(document.images).every(image => image.complete)")
            page.locator("#output").screenshot(path=picture.file(theme))
            page.close()


def live(browser) -> None:
    """Widgets in JupyterLab."""
    with tempfile.TemporaryDirectory(prefix="memkit-gallery-") as base:
        lab = Lab(pathlib.Path(base))
        lab.start()
        try:
            for each in LIVE:
                desk = Desk(browser, lab, "", FOLDER)
                desk.page.set_viewport_size(WINDOW)
                desk.run(each.name, each.setup, each.cell)
                use(desk, each)
                for theme in THEMES:
                    desk.set_theme(theme)
                    desk.page.evaluate(FROM_THE_TOP)
                    box = desk.output(1).locator(".jp-OutputArea-output").first.bounding_box()
                    box["height"] = min(box["height"], each.height)
                    desk.page.screenshot(path=each.file(theme), clip=box)
                desk.close()
        finally:
            lab.stop()


def use(desk: Desk, each: Live) -> None:
    """What somebody does with a widget before the picture is taken."""
    shown = desk.output(1)
    for label, what, value in each.hands:
        if what == "type":
            shown.get_by_label(label).press_sequentially(value, delay=20)
        elif what == "choose":
            shown.get_by_label(label).select_option(index=int(value))
        else:
            shown.get_by_role("button", name=label).click()
        desk.settle(1_500)


def main() -> int:
    if not chromium():
        print("no Chromium on this machine: apt-get install chromium", file=sys.stderr)
        return 1
    FOLDER.mkdir(exist_ok=True)
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        still(browser)
        live(browser)
        browser.close()
    files = [each.file(theme) for each in (*PICTURES, *LIVE) for theme in THEMES]
    large = [file for file in files if file.stat().st_size > MOST_BYTES]
    for file in large:
        print(f"too large: {file.name}: {file.stat().st_size:,} bytes", file=sys.stderr)
    print(f"{len(files)} files in docs/gallery, {sum(file.stat().st_size for file in files):,} bytes")
    return 1 if large else 0


if __name__ == "__main__":
    raise SystemExit(main())
