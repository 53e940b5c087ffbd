"""Reading HTML strictly: which tags and attributes stand in it, whether it is balanced, what its text is."""

import re
from html.parser import HTMLParser

# All of them survive the sanitisers of notebooks; `style` is taken out with its content by `without_style`.
TAGS = {
    "bdi", "br", "caption", "code", "dd", "details", "div", "dl", "dt", "em", "figcaption", "figure", "h1", "h2", "h3", "h4", "h5", "h6", "img", "li",
    "mark", "meter", "p", "section", "small", "span", "strong", "summary", "table", "tbody", "td", "th", "thead", "tr",
    "ul", "wbr",
}  # fmt: skip
ATTRIBUTES = {
    "class", "style", "title", "align", "valign", "scope", "min", "max", "value", "aria-hidden", "aria-label", "alt", "role",
    "src", "tabindex",
}  # fmt: skip
VOID = {"br", "img", "wbr", "meta"}
STYLE = re.compile(r"<style>.*?</style>", re.DOTALL)
BLOCKS = {"p", "div", "section", "table", "tr", "td", "th", "caption", "dl", "dt", "dd", "ul", "li", "br", "summary"}


class Reader(HTMLParser):
    """Collects tags, attributes and stretches of text; complains about what is not closed in order."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes, self.stretches, self.open = [], [], [], []
        self.text = ""

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)
        if tag in BLOCKS or re.fullmatch(r"h\d", tag):
            self.text += "\n"

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open[-1] == tag, f"</{tag}> closes <{self.open[-1]}>"
        self.open.pop()

    def handle_data(self, data):
        self.stretches.append(data)
        self.text += data

    def handle_comment(self, data):
        raise AssertionError(f"a comment: {data}")

    def handle_decl(self, decl):
        assert decl == "DOCTYPE html"

    def handle_pi(self, data):
        raise AssertionError(f"a processing instruction: {data}")


def read(source):
    reader = Reader()
    reader.feed(source)
    reader.close()
    assert reader.open == []
    return reader


def without_style(source):
    return STYLE.sub("", source)


def words(text):
    """Text with its white space evened out."""
    return " ".join(text.split())
