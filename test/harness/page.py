"""Reads a page of HTML with Python's parser: HTML on standard input; rows, selects, scripts and text as JSON on standard output."""

import json
import sys
from html.parser import HTMLParser

VOID = ["meta"]


class Page(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.rows, self.names, self.text = [], [], [], ""
        self.scripts, self.loads = 0, []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.loads += [value for key, value in attributes.items() if key in ("src", "href")]
        self.scripts += tag == "script"
        if tag == "select":
            self.names.append(attributes["name"])
        if "data-status" in attributes:
            self.rows.append({**attributes, "text": ""})
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open)
        self.open.pop()

    def handle_data(self, data):
        if "script" in self.open or "style" in self.open:
            return
        self.text += data
        if "tr" in self.open and self.rows and "tbody" in self.open:
            self.rows[-1]["text"] += data


page = Page()
page.feed(sys.stdin.buffer.read().decode("utf-8"))
page.close()
assert page.open == [], page.open
members = ("rows", "names", "text", "scripts", "loads")
print(json.dumps({name: getattr(page, name) for name in members}))
