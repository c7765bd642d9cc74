"""Colours and dash patterns of policies, the same in every chart; colour-blind readers can tell them apart."""

from collections.abc import Sequence

import altair as alt
import polars as pl

from trueward.reporting.labels import symbol

Style = tuple[str, tuple[float, ...]]

SOLID, LONG, SHORT, DOTS, MIXED = (1.0, 0.0), (8.0, 4.0), (4.0, 3.0), (1.5, 2.5), (8.0, 3.0, 2.0, 3.0)
KNOWN: dict[str, Style] = {  # the colours of Okabe and Ito without yellow
    "tUCB": ("#0072B2", SOLID),
    "sUCB": ("#D55E00", LONG),
    "RUCB-MAB": ("#009E73", SOLID),
    "UCB": ("#1A1A1A", DOTS),
    "EXP3": ("#CC79A7", SOLID),
    "EXP3++": ("#E69F00", SHORT),
    "Tsallis-INF": ("#56B4E9", SOLID),
    "UCB1": ("#882255", SOLID),
}
SPARE = ("#999933", "#332288", "#44AA99", "#AA4499", "#666666", "#661100")  # from Tol's muted scheme
DASHES = (SOLID, LONG, SHORT, DOTS, MIXED)


def policy_styles(policies: Sequence[str]) -> dict[str, Style]:
    """Return a colour and a dash pattern for each policy; no two policies share both."""
    styles = {name: KNOWN[name] for name in policies if name in KNOWN}
    for name in policies:
        if name not in styles:
            # a variant has the colour of its policy
            own = [KNOWN[base][0] for base in KNOWN if name.startswith(f"{base} (")]
            free = ((c, (*dash, *more)) for more in ((), DOTS, SHORT) for dash in DASHES for c in own or SPARE)
            styles[name] = next(style for style in free if style not in styles.values())
    return {name: styles[name] for name in policies}


def policy_colors(policies: Sequence[str]) -> dict[str, str]:
    return {name: color for name, (color, _) in policy_styles(policies).items()}


def policy_color(table: pl.DataFrame, *, legend: bool = True) -> alt.Color:
    colors = policy_colors(_names(table))
    legend_spec = (
        alt.Legend(orient="top", symbolType="stroke", symbolStrokeWidth=2.5, symbolOpacity=1, columns=8)
        if legend
        else None
    )
    return alt.Color("policy:N", scale=alt.Scale(domain=list(colors), range=list(colors.values())), legend=legend_spec)


def value_color(table: pl.DataFrame, variable: str) -> alt.Color:
    """Return the colour channel of swept values, from dark to light."""
    values = table["value"].unique(maintain_order=True).to_list()
    legend = alt.Legend(title=symbol(variable), symbolType="stroke", symbolStrokeWidth=2.5, symbolOpacity=1)
    scale = alt.Scale(domain=values, scheme=alt.SchemeParams(name="viridis", extent=[0, 0.92]))
    return alt.Color("value:O", scale=scale, legend=legend)


def policy_dash(table: pl.DataFrame) -> alt.StrokeDash:
    styles = policy_styles(_names(table))
    scale = alt.Scale(domain=list(styles), range=[list(dash) for _, dash in styles.values()])
    return alt.StrokeDash("policy:N", scale=scale)


def _names(table: pl.DataFrame) -> list[str]:
    return table["policy"].unique(maintain_order=True).to_list()
