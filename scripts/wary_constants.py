"""Write the tables of constants in docs/wary.md from the code of Wary: `make docs`.

They are the fields of `Assumptions` and `Resolution`; the meaning of each is the comment beside it.
"""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
CODE, FILE = ROOT / "src" / "trueward" / "policies" / "wary" / "constants.py", ROOT / "docs" / "wary.md"
FIELD = re.compile(r"^    (\w+): [^=]+ = (.+?)  # (.+)$", re.MULTILINE)
TABLES = re.compile(r"(?<=<!-- constants -->\n).*(?=<!-- end of constants -->)", re.DOTALL)
SYMBOLS = {
    "widest_sd": r"s_{\max}",
    "sd_decay": r"\lambda",
    "own_sd": r"\eta",
    "stray": r"\epsilon",
    "careless_odds": "w_c",
    "careless_share": r"\kappa",
    "heap_odds": "w_h",
    "heap_shares": r"\chi_i",
    "attack_prior": r"\pi",
    "attack_rates": r"\rho/\beta",
    "attack_weights": r"P(\rho)",
    "attack_ends": r"\tau",
    "most": r"\beta",
    "longest_start": r"\beta_0/\beta",
    "interval_prior": r"\pi_I",
    "interval_mass": r"\alpha",
    "trusted": "n_0",
    "power": r"\gamma",
}


def constants(name: str) -> list[tuple[str, str, str]]:
    """Return the name, the value and the meaning of every field of a class, as the code has them."""
    body = CODE.read_text(encoding="utf-8").split(f"class {name}:")[1].split("\n\n\n")[0]
    return FIELD.findall(f"{body}\n")


def tables() -> str:
    """Return both tables in Markdown."""
    lines = ["| assumption | | value | meaning |", "|---|---|---|---|"]
    lines += [
        row(f"${SYMBOLS[name]}$", f"`{name}`", value, meaning) for name, value, meaning in constants("Assumptions")
    ]
    lines += ["", "A *resolution* only has to be fine enough:", "", "| resolution | value | meaning |", "|---|---|---|"]
    lines += [row(f"`{name}`", value, meaning) for name, value, meaning in constants("Resolution")]
    return "\n".join(["", *lines, "", ""])


def row(*cells: str) -> str:
    """Return a row of a table in Markdown."""
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


def page() -> str:
    """Return the page with the tables of the present code."""
    return TABLES.sub(lambda _: tables(), FILE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    FILE.write_text(page(), encoding="utf-8")
