"""Whatever is sent, every answer is as the OpenAPI description says, and none is an error of the service."""

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode, checks

from soak_size import size

CHECKS = (
    checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
)
OPERATIONS = 25  # that there are; a new one is tried as well


def try_everything(service, examples, derandomize):
    """Send what the description allows, and what it does not, to every operation; return how many there are."""
    for i in range(4):
        service.rate(service.ask(f"p{i}").json()["number"], 1 + i)
    service.ask("p5")
    key = service.new_key(study=None)
    schema = schemathesis.openapi.from_asgi("/openapi.json", service.app, headers={"Host": "127.0.0.1"})
    how = settings(
        max_examples=examples,
        deadline=None,
        derandomize=derandomize,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    operations = [result.ok() for result in schema.get_all_operations()]
    for operation in operations:
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
            if mode is GenerationMode.NEGATIVE and not (operation.body or operation.query):
                continue  # nothing to get wrong

            @how
            @given(case=operation.as_strategy(generation_mode=mode))
            def send(case):
                if "study" in case.path_parameters:
                    case.path_parameters["study"] = "explanations"
                if isinstance(number := case.path_parameters.get("number"), int):
                    case.path_parameters["number"] = number % 7
                if isinstance(case.body, dict) and case.body.get("to") == "ended":
                    case.body["to"] = "paused"  # it would be the end of all that follows
                answer = case.call(headers={"Authorization": f"Bearer {key}", "Host": "127.0.0.1"}, timeout=600)
                case.validate_response(answer, checks=CHECKS)

            send()
    return len(operations)


def test_every_answer_is_as_described(serve, sqlite):
    service = serve(sqlite)
    assert try_everything(service, 3, derandomize=True) >= OPERATIONS
    assert service.app.state.studies["explanations"].verify().ok


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_every_answer_is_as_described_many_times(kind, serve, request):
    service = serve(request.getfixturevalue(kind))
    assert try_everything(service, size(full=300, short=20), derandomize=False) >= OPERATIONS
    assert service.app.state.studies["explanations"].verify().ok
