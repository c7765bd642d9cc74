"""Draw the picture of docs/what-may-be-concluded.md: run the example of that page, and plot its analysis."""

import doctest
from pathlib import Path
from typing import Any

import vl_convert

DOCS = Path(__file__).parents[1] / "docs"
PIXELS = 2


def example(page: Path) -> dict[str, Any]:
    """Return the names that the examples of a page define."""
    names: dict[str, Any] = {}
    for part in doctest.DocTestParser().get_examples(page.read_text(encoding="utf-8")):
        exec(compile(part.source, page.name, "single"), names)
    return names


if __name__ == "__main__":
    chart = example(DOCS / "what-may-be-concluded.md")["analysis"].plot().to_dict()
    image = vl_convert.vegalite_to_png(chart, scale=PIXELS)
    (DOCS / "images" / "what-may-be-concluded.png").write_bytes(image)
