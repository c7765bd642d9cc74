"""The endpoints that the service is compared with."""

from fastapi.testclient import TestClient

import service_floor
import trueward as tw
from trueward.serve.settings import Settings


def test_service_floor_writes_the_rows_of_a_decision_and_its_reward(tmp_path):
    url = f"sqlite:///{tmp_path / 'floor.db'}"
    tw.Study.create(url, "floor", ["video", "text"], policy=tw.Uniform()).close()
    with TestClient(service_floor.create_app(Settings(db=url)), base_url="http://127.0.0.1") as client:
        made = client.post("/floor/floor/decisions", json={"participant": "p1"}, headers={"Idempotency-Key": "1"})
        told = client.put("/floor/floor/decisions/1/reward", json={"value": 0.5})
    assert (made.status_code, told.status_code) == (201, 200)
    with tw.Study.open(url, "floor") as study:
        assert study.decisions().select("number", "reward").rows() == [(1, 0.5)]
