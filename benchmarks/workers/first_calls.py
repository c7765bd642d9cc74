"""Seconds of the first call of each policy in this process, as JSON."""

import json

import trueward as tw
from measuring import wall_seconds
from sections.peers import OURS

if __name__ == "__main__":
    first = {name: wall_seconds(lambda p=p, a=a: tw.play(p, a, horizon=1)) for name, (p, a) in OURS.items()}
    print(json.dumps(first))
