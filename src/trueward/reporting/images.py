"""A chart as files: PNG and PDF, small, and the same bytes for the same chart."""

import io
from pathlib import Path
from typing import Any

import pikepdf
import vl_convert

PIXELS = 2  # of a PNG, per point of the chart
KINDS = ("png", "pdf")


def write_images(folder: Path, name: str, chart: dict[str, Any]) -> list[str]:
    """Write a chart as PNG and PDF, and return the names of the files."""
    still = without_unseen(chart)
    (folder / f"{name}.png").write_bytes(vl_convert.vegalite_to_png(still, scale=PIXELS))
    (folder / f"{name}.pdf").write_bytes(in_order(vl_convert.vegalite_to_pdf(still)))
    return [f"{name}.{kind}" for kind in KINDS]


def without_unseen(part: Any) -> Any:
    """Return a chart without the layers that only answer to the pointer: in a file, each of their marks takes room."""
    if isinstance(part, list):
        return [without_unseen(each) for each in part]
    if not isinstance(part, dict):
        return part
    kept = {name: without_unseen(each) for name, each in part.items() if name != "layer"}
    if "layer" in part:
        kept["layer"] = [without_unseen(layer) for layer in part["layer"] if not _is_unseen(layer)]
    return kept


def _is_unseen(layer: dict[str, Any]) -> bool:
    mark = layer.get("mark")
    return isinstance(mark, dict) and mark.get("opacity") == 0


def in_order(pdf: bytes) -> bytes:
    """Return a PDF with its objects in a fixed order: what draws it gives them in another one in every process."""
    ordered = io.BytesIO()
    with pikepdf.open(io.BytesIO(pdf)) as document:
        document.save(ordered, deterministic_id=True, object_stream_mode=pikepdf.ObjectStreamMode.disable)
    return ordered.getvalue()
