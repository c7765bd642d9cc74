"""The heat map: every policy in every scenario, as a number on a colour.

Light is good and dark is bad, so that it also works in grey and for colour-blind readers. Shares above `DARKEST` have
the darkest colour.
"""

from collections.abc import Sequence

import altair as alt
import polars as pl

from trueward.lab.arena.scenario import VALUE_LETTERS
from trueward.lab.arena.standings import Standings
from trueward.reporting.panels import Panels

RAMP = ("#ffffe5", "#fff7bc", "#fee391", "#fec44f", "#fe9929", "#ec7014", "#cc4c02", "#993404", "#662506")  # YlOrBr
DARKEST = 1.25  # times the regret of uniform play
BLACK, WHITE = "#000000", "#ffffff"
DARK_LUMINANCE = 0.179  # at which black and white text have the same contrast
CELL_WIDTH, CELL_HEIGHT = 38, 19
LETTER_HEIGHT = 4.8  # of a letter in a slanted label


def shade(share: float) -> str:
    position = min(max(share / DARKEST, 0.0), 1.0) * (len(RAMP) - 1)
    step = min(int(position), len(RAMP) - 2)
    channels = (
        round(a + (position - step) * (b - a)) for a, b in zip(_rgb(RAMP[step]), _rgb(RAMP[step + 1]), strict=True)
    )
    return "#" + "".join(f"{part:02x}" for part in channels)


def ink_on(color: str) -> str:
    """Return black or white, whichever has more contrast on a colour."""
    return WHITE if luminance(color) < DARK_LUMINANCE else BLACK


def luminance(color: str) -> float:
    """Return the relative luminance of a colour, as defined by WCAG."""
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in (v / 255 for v in _rgb(color))]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _rgb(color: str) -> tuple[int, int, int]:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def data_heat_map(standings: Standings) -> pl.DataFrame:
    """Return one row per scenario and policy: the share of uniform regret, and the colours of cell and text."""
    table = standings.share_table()
    colors = [shade(share) for share in table["share"]]
    inks = [ink_on(color) for color in colors]
    texts = [f"{share:.2f}" for share in table["share"]]
    return table.with_columns(pl.Series("text", texts), pl.Series("color", colors), pl.Series("ink", inks))


def draw_heat_map(table: pl.DataFrame, policies: Sequence[str]) -> alt.HConcatChart:
    """Draw a block of cells per group, with the policies from top to bottom in this order."""
    label_height = LETTER_HEIGHT * max(map(len, table["scenario"]))
    blocks = [
        _block(part, str(group), policies, label_height=label_height, names=number == 0)
        for number, ((group,), part) in enumerate(table.group_by("group", maintain_order=True))
    ]
    legend = [f"{letter}: {meaning}" for letter, meaning in VALUE_LETTERS.items()]
    title = alt.TitleParams(
        "Regret as a share of the regret of uniform play",
        subtitle=[
            "0: always the best arm; 1: no better than chance; above 1: misled. Sorted by mean rank.",
            *("; ".join(legend[line : line + 3]) for line in range(0, len(legend), 3)),
        ],
        anchor="start",
        fontSize=15,
        subtitleColor="#444",
        offset=14,
    )
    config = alt.Config(view=alt.ViewConfig(stroke=None), axis=alt.AxisConfig(domain=False, ticks=False))
    return alt.hconcat(*blocks, spacing=8, title=title, config=config)


def _block(table: pl.DataFrame, group: str, policies: Sequence[str], *, label_height: float, names: bool) -> Panels:
    order = table["scenario"].unique(maintain_order=True).to_list()
    header = alt.Axis(orient="top", labelAngle=-60, labelLimit=200, minExtent=label_height)
    x = alt.X("scenario:N", sort=order, title=None, axis=header)
    axis = alt.Axis(labelLimit=260, labelFontSize=11.5) if names else None
    y = alt.Y("policy:N", sort=list(policies), title=None, axis=axis)
    base = alt.Chart(alt.InlineData(values=table.to_dicts())).encode(x, y)
    cells = base.mark_rect(stroke="#fff").encode(color=alt.Color("color:N", scale=None))
    numbers = base.mark_text(fontSize=10.5).encode(text="text:N", color=alt.Color("ink:N", scale=None))
    heading = alt.TitleParams(group, anchor="middle", fontSize=12)
    return alt.layer(cells, numbers).properties(width=alt.Step(CELL_WIDTH), height=alt.Step(CELL_HEIGHT), title=heading)
