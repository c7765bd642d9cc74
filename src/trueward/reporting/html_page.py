"""HTML pages that open without a network, from the templates in this folder; values are escaped."""

from functools import cache
from typing import Any, NamedTuple

import vl_convert
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup


class Figure(NamedTuple):
    """A figure on a page; `name` is the stem of its files."""

    name: str
    title: str
    caption: str
    chart: dict[str, Any]


def render(template: str, **values: Any) -> str:
    """Return a page from a template."""
    return template_environment("trueward.reporting").get_template(template).render(**values)


@cache
def vega_bundle() -> Markup:
    """Return the scripts that draw charts, for embedding in a page."""
    return Markup(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;").replace("</script", "<\\/script"))


@cache
def template_environment(package: str) -> Environment:
    """Return the template environment of a package, with escaping and an error for undefined names."""
    environment = Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":")}
    return environment
