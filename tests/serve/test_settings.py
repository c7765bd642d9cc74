import pytest

from trueward.errors import ParameterError
from trueward.serve.settings import Settings


def test_settings_come_from_the_environment_and_flags_come_first():
    environment = {"TRUEWARD_DB": "sqlite:///a.db", "TRUEWARD_PORT": "9000", "TRUEWARD_HOSTS": "a.org, b.org"}
    settings = Settings.from_environment(environment, port=9001, workers=None)
    assert (settings.db, settings.port, settings.workers) == ("sqlite:///a.db", 9001, 1)
    assert settings.all_hosts[-2:] == ("a.org", "b.org")


def test_workers_are_told_the_same_by_their_environment():
    settings = Settings(db="sqlite:///a.db", hosts=("a.org",), origins=("https://b.org", "https://c.org"), port=1)
    assert Settings.from_environment(settings.as_environment()) == settings


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"TRUEWARD_PORT": "x"}, "TRUEWARD_PORT must be a whole number, got 'x'"),
        ({"TRUEWARD_WORKERS": "0"}, "workers must be"),
        ({"TRUEWARD_TOKEN_LIFETIME": "soon"}, "such as '48h'"),
        ({"TRUEWARD_SIGNING_SECRETS": "short"}, "at least 16 characters each; not shown here"),
        ({"TRUEWARD_OPEN": "1", "TRUEWARD_HOST": "0.0.0.0"}, "open needs host to be 127.0.0.1"),
    ],
)
def test_a_wrong_setting_is_named(wrong, words):
    with pytest.raises(ParameterError, match=words):
        Settings.from_environment(wrong)
