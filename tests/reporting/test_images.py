"""Charts as PNG and PDF files."""

import io

import pikepdf
import vl_convert

from trueward.reporting.images import without_invisible_layers, write_images

POINTS = [{"a": i, "b": i * i % 7, "c": "xyz"[i % 3]} for i in range(30)]
ENCODING = {"x": {"field": "a", "type": "quantitative"}, "y": {"field": "b", "type": "quantitative"}}
VISIBLE = {
    "mark": {"type": "bar", "opacity": 0.5},
    "encoding": {**ENCODING, "color": {"field": "c", "type": "nominal"}},
}
INVISIBLE = {"mark": {"type": "point", "opacity": 0}, "encoding": ENCODING}
CHART = {"data": {"values": POINTS}, "title": "A bold title: two fonts", "layer": [VISIBLE, INVISIBLE]}


def test_write_images_gives_the_same_bytes_every_time(tmp_path):
    drawn, raw = set(), set()
    for _ in range(6):
        assert write_images(tmp_path, "chart", CHART) == ["chart.png", "chart.pdf"]
        drawn.add(tuple((tmp_path / f"chart.{kind}").read_bytes() for kind in ("png", "pdf")))
        raw.add(vl_convert.vegalite_to_pdf(without_invisible_layers(CHART)))
    assert len(drawn) == 1
    assert len(raw) > 1  # vl-convert orders the objects differently each time; otherwise sorting them would be needless


def test_pdf_has_one_page_and_no_date(tmp_path):
    write_images(tmp_path, "chart", CHART)
    with pikepdf.open(io.BytesIO((tmp_path / "chart.pdf").read_bytes())) as document:
        assert len(document.pages) == 1
        assert not {"/CreationDate", "/ModDate"} & set(document.docinfo.keys())


def test_without_invisible_layers_removes_layers_with_zero_opacity():
    visible = without_invisible_layers({"vconcat": [CHART, {"spec": CHART}]})
    assert visible["vconcat"][0]["layer"] == visible["vconcat"][1]["spec"]["layer"] == [VISIBLE]
    assert CHART["layer"] == [VISIBLE, INVISIBLE]
