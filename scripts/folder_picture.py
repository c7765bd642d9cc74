"""Draw docs/images/folders.svg, the packages in the order of the import contract: `make docs`."""

import ast
import textwrap
import tomllib
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[1]
FILE = ROOT / "docs" / "images" / "folders.svg"
SOURCE = ROOT / "src" / "trueward"

WIDTH, GAP, PAD, LINE = 560, 14, 11, 18  # in px; narrow enough for a phone
MOST_IN_A_ROW = 2  # boxes
STAGES = ("arms", "adversaries", "estimators", "policies", "game")  # the path of a reward
STAGE, OTHER = ("#0f766e", "#e6f4f1"), ("#475569", "#eef1f5")  # border and fill


def picture() -> str:
    """Return the picture: the layers of the contract, one box per package or top-level module."""
    parts, y = [], GAP
    for layer in layers():
        for row in batched(layer, MOST_IN_A_ROW):
            width = (WIDTH - GAP * (len(row) + 1)) // len(row)
            texts = [_lines(name, width) for name in row]
            height = 2 * PAD + LINE * (1 + max(map(len, texts)))
            for i, (name, lines) in enumerate(zip(row, texts, strict=True)):
                parts.append(_box(name, lines, GAP + i * (width + GAP), y, width, height))
            y += height + GAP
        parts.append(f'<path d="M{WIDTH // 2 - 5} {y - GAP + 4}h10l-5 7z" fill="#8a94a3"/>')
    parts.pop()  # no arrow below the last layer
    return _HEAD.format(width=WIDTH, height=y) + "\n".join(parts) + "\n</svg>\n"


def layers() -> list[list[str]]:
    """Return the layers of the import contract, the highest first, each with its packages."""
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    rows = next(c["layers"] for c in contract if c["type"] == "layers")
    return [[name.strip().removeprefix("trueward.") for name in row.split("|")] for row in rows]


def batched(names: list[str], size: int) -> list[list[str]]:
    """Return names in rows of at most `size`."""
    return [names[start : start + size] for start in range(0, len(names), size)]


def _lines(name: str, width: int) -> list[str]:
    """Return the first line of the package's docstring, and its subpackages."""
    folder = SOURCE / name
    file = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
    about = (ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or "").partition("\n")[0]
    inside = sorted(path.parent.name for path in folder.glob("*/__init__.py"))
    length = int((width - 2 * PAD) / 7.6)  # a letter of 14 px is rarely wider, on average
    return textwrap.wrap(about.replace("`", ""), length) + textwrap.wrap(
        "  ".join(f"{part}/" for part in inside), length
    )


def _box(name: str, lines: list[str], x: int, y: int, width: int, height: int) -> str:
    border, fill = STAGE if name in STAGES else OTHER
    title = f"{name}/" if (SOURCE / name).is_dir() else f"{name}.py"
    text = "".join(
        f'<text x="{x + PAD}" y="{y + PAD + LINE * (i + 2) - 5}"{_code(line)}>{escape(line)}</text>'
        for i, line in enumerate(lines)
    )
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6" fill="{fill}" stroke="{border}"/>'
        f'<text x="{x + PAD}" y="{y + PAD + LINE - 5}" class="name" style="fill: {border}">{title}</text>{text}'
    )


def _code(line: str) -> str:
    return ' class="inside"' if line.endswith("/") else ""


_HEAD = """<svg xmlns="http://www.w3.org/2000/svg" role="img"
 width="{width}" height="{height}" viewBox="0 0 {width} {height}">
<title>The packages of trueward; each imports only packages below it</title>
<style>
text {{ font: 14px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; fill: #1e293b }}
.name {{ font: bold 16px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace }}
.inside {{ font: 13px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #475569 }}
</style>
"""

if __name__ == "__main__":
    FILE.write_text(picture(), encoding="utf-8")
