"""The command of the demonstration."""

from typing import Annotated

import typer

from trueward.cli.one_line_errors import one_line_errors


@one_line_errors
def demo(
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; any other if it is taken.")] = 8000,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same class.")] = 1,
    browser: Annotated[bool, typer.Option(metavar="", help="Open the page, if there is a screen.")] = True,
) -> None:
    """Show the dashboard with a simulated class, careless students and a bot; no setup needed."""
    from trueward.serve.needs import need_serve

    need_serve()
    from trueward.serve.demo.run import run_demo

    run_demo(port=port, seed=seed, browser=browser, say=typer.echo)
