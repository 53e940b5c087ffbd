"""The gallery shows what the notebooks show: every picture is there, small, in both themes, and named once."""

import re

import pytest

from tests.docs.reading import links
from tests.gallery.pictures import FOLDER, LIVE, MOST_BYTES, PAGE, PICTURES, ROOT, THEMES

ALL = (*PICTURES, *LIVE)
SHOWN = re.findall(
    r'<picture><source media="\(prefers-color-scheme: dark\)" srcset="gallery/([\w-]+)-dark\.png">'
    r'<img alt="([^"]{20,})" src="gallery/([\w-]+)-light\.png"></picture>',
    PAGE.read_text("utf-8"),
)


def test_the_page_shows_each_picture_once_in_both_themes_with_words():
    assert all(dark == light for dark, _, light in SHOWN)
    assert sorted(name for name, _, _ in SHOWN) == sorted(each.name for each in ALL)
    assert PAGE.read_text("utf-8").count("<picture>") == len(SHOWN)
    assert len({alt for _, alt, _ in SHOWN}) == len(SHOWN)


@pytest.mark.parametrize("picture", ALL, ids=lambda each: each.name)
@pytest.mark.parametrize("theme", THEMES)
def test_each_picture_is_there_and_small(picture, theme):
    data = picture.file(theme).read_bytes()
    assert data.startswith(b"\x89PNG")
    assert 2_000 < len(data) <= MOST_BYTES


def test_no_picture_is_left_over():
    named = {each.file(theme).name for each in ALL for theme in THEMES}
    assert {file.name for file in FOLDER.iterdir()} == named


@pytest.mark.parametrize("picture", PICTURES, ids=lambda each: each.name)
def test_each_picture_is_of_one_output_that_its_notebook_shows(picture):
    assert 'class="memkit' in picture.html()


def test_every_notebook_is_represented_and_linked():
    notebooks = {path.stem for path in (ROOT / "notebooks").glob("*.ipynb")}
    assert {each.notebook for each in PICTURES} == notebooks
    assert {f"../notebooks/{name}.ipynb" for name in notebooks} <= set(links(PAGE))
