"""Write charts as PNG and PDF; the same chart gives the same bytes."""

import io
from pathlib import Path
from typing import Any

import pikepdf
import vl_convert

PNG_SCALE = 2  # pixels of the PNG per point of the chart
SUFFIXES = ("png", "pdf")


def write_images(folder: Path, name: str, chart: dict[str, Any]) -> list[str]:
    """Write a chart as PNG and PDF, and return the names of the files."""
    visible = without_invisible_layers(chart)
    (folder / f"{name}.png").write_bytes(vl_convert.vegalite_to_png(visible, scale=PNG_SCALE))
    (folder / f"{name}.pdf").write_bytes(with_fixed_order(vl_convert.vegalite_to_pdf(visible)))
    return [f"{name}.{suffix}" for suffix in SUFFIXES]


def without_invisible_layers(part: Any) -> Any:
    """Return a chart without its invisible layers, which only carry tooltips and would enlarge the file."""
    if isinstance(part, list):
        return [without_invisible_layers(each) for each in part]
    if not isinstance(part, dict):
        return part
    kept = {name: without_invisible_layers(each) for name, each in part.items() if name != "layer"}
    if "layer" in part:
        kept["layer"] = [without_invisible_layers(layer) for layer in part["layer"] if not _is_invisible(layer)]
    return kept


def _is_invisible(layer: dict[str, Any]) -> bool:
    mark = layer.get("mark")
    return isinstance(mark, dict) and mark.get("opacity") == 0


def with_fixed_order(pdf: bytes) -> bytes:
    """Return a PDF with its objects in a fixed order; vl-convert orders them differently in every process."""
    ordered = io.BytesIO()
    with pikepdf.open(io.BytesIO(pdf)) as document:
        document.save(ordered, deterministic_id=True, object_stream_mode=pikepdf.ObjectStreamMode.disable)
    return ordered.getvalue()
