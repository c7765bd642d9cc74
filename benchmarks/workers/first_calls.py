"""Seconds of the first call of some algorithms in this process, as JSON: `first_calls.py ALGORITHM …`."""

import json
import sys
from functools import partial

import trueward as tw
from sections.peers import OURS
from timing import wall_seconds

if __name__ == "__main__":
    first = {name: wall_seconds(partial(tw.play, *OURS[name], horizon=1, compiled=True)) for name in sys.argv[1:]}
    print(json.dumps(first))
