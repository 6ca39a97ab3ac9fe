"""What a reader of the site must not see, found in the pages as they were built: `python docs/check_site.py SITE`.

Fields of docstrings that stayed text, tables that stayed pipes, roles and stars that stayed markup, a property whose
first words were taken for its type, and lists whose entries run together in one paragraph or keep their stars.
"""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path

FAULTS = {
    "a field that stayed text": re.compile(r":(?:raises?|param|returns?|rtype|type|ivar)\b[^:]*:"),
    "a table that stayed pipes": re.compile(r"^\| .* \|$", re.MULTILINE),
    "markup that stayed text": re.compile(r":py:\w+:|:math:|\*\*\w[^*\n]*\*\*|```|\{(?:doc|ref|eval-rst)\}"),
    "a list that runs together": re.compile(r"(?:^\w+: {1,2}\S.*\n(?:.*\n)?){2}\w+: ", re.MULTILINE),
    "a bullet that stayed text": re.compile(r"^\* \S", re.MULTILINE),
    "a type that is a sentence": re.compile(r"\bType:\n? ?\w+ \w+ "),
}
UNREAD = re.compile(r'class="sig-param"[^\n]*~\w+\.')
LITERAL = ("pre", "code", "math", "script", "style", "title")


class Reader(HTMLParser):
    """The text of the article that is not code or formula."""

    def __init__(self):
        super().__init__()
        self.inside, self.signature, self.literal, self.text = False, False, 0, []

    def handle_starttag(self, tag, attributes):
        self.inside = self.inside or tag == "article"
        self.literal += tag in LITERAL or _is_signature(tag, attributes)
        self.signature = self.signature or _is_signature(tag, attributes)
        if tag in ("p", "dt", "dd", "li", "td"):
            self.text.append("\n\n")

    def handle_endtag(self, tag):
        self.inside = self.inside and tag != "article"
        self.literal -= tag in LITERAL or (tag == "dt" and self.signature)
        self.signature = self.signature and tag != "dt"

    def handle_data(self, data):
        if self.inside:
            self.text.append("x" if self.literal else data)


def _is_signature(tag: str, attributes: list) -> bool:
    return tag == "dt" and "sig" in (dict(attributes).get("class") or "").split()


def faults(html: str) -> list[str]:
    """The kinds of faults of one page, each with the place where it was seen."""
    reader = Reader()
    reader.feed(html)
    text = "".join(reader.text)
    found = [f"{kind}: {seen[0][:90]!r}" for kind, rule in FAULTS.items() if (seen := rule.search(text))]
    return found + ["a signature that Sphinx could not read"] * bool(UNREAD.search(html))


def main(site: str) -> int:
    """One line for each fault; 1 if there is one, or if there are no pages."""
    pages = sorted(path for path in Path(site).rglob("*.html") if "_modules" not in path.parts)
    found = [f"{path.relative_to(site)}: {fault}" for path in pages for fault in faults(path.read_text("utf-8"))]
    print("\n".join(found) or f"{len(pages)} pages without a fault")
    return int(bool(found) or not pages)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
