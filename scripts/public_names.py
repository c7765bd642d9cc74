"""Write the types of the public names, for type checkers: src/trueward/__init__.pyi.

`trueward` imports its names when they are used, from the tables; a type checker cannot follow that. Run by `make docs`.
"""

from pathlib import Path

import trueward

FILE = Path(trueward.__file__).parent / "__init__.pyi"


def stub() -> str:
    """Return an import of every public name from its home."""
    lines = ["# Written by scripts/public_names.py from the tables: run `make docs`.", ""]
    lines += [f"from trueward import {part} as {part}" for part in trueward._PARTS]
    lines += sorted(f"from {home} import {name} as {name}" for name, home in trueward._HOMES.items())
    return "\n".join([*lines, "", "__version__: str", "__all__: list[str]", ""])


if __name__ == "__main__":
    FILE.write_text(stub())
