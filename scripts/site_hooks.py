"""Hooks of MkDocs: the home page, the API reference, links into the repository, formulas, no requests to other hosts.

The pages link to each other as files of the repository, so that they can be read there as well. On the site, the README
is the home page, docs/index.md is the overview, and every linked file outside docs/ gets its own page. Formulas become
MathML, which browsers show without a script.
"""

import html
import posixpath
import re
from pathlib import Path
from typing import Any

import api_pages
from latex2mathml.converter import convert
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
MOVED = {"README.md": "index.md", "docs/index.md": "overview.md"}
ADDED = (*MOVED, "CONTRIBUTING.md", "CHANGELOG.md")
CODE = "---\nsearch: {{exclude: true}}\n---\n\n# {name}\n\n`{path}`\n\n````python\n{code}````\n"
LINK = re.compile(r"(\]\()(?!https?:|#)([^)#\s]+)")
FORMULA = re.compile(r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>', re.DOTALL)
TAG = re.compile(r"\\tag\{(\d+)\}")
LOADED = re.compile(  # from another host; a mere link, <a href=…>, loads nothing
    r"""  <(?:script|img|iframe|source)\b [^>]* \ssrc=  ["']? (?:https?:)?//
        | <link\b (?=[^>]*\brel=["']?(?:stylesheet|preconnect|preload|icon)) [^>]* \shref= ["']? (?:https?:)?//
        | (?:url\(|@import\s) ["']? (?:https?:)?//""",
    re.VERBOSE,
)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add pages that are not in docs/: the home page, the API reference, and the files that pages link to."""
    files.remove(files.src_uris["index.md"])
    for repository_path in ADDED:
        files.append(_generated(config, repository_path))
    for uri, text in api_pages.pages().items():
        files.append(File.generated(config, uri, content=text))
    waiting = [file for file in files if file.is_documentation_page()]
    while waiting:
        page = waiting.pop()
        for target in _links(page):
            if _site_uri(target) not in files.src_uris:
                files.append(linked := _generated(config, target))
                waiting += [linked] if target.endswith(".md") else []
    return files


def on_page_markdown(markdown: str, *, page: Page, **_: Any) -> str:
    """Rewrite links between files of the repository as links between pages of the site."""
    here = _repository_path(page.file)
    folder = posixpath.dirname(page.file.src_uri)

    def rewrite(link: re.Match[str]) -> str:
        target = _target(here, link[2])
        return link[1] + posixpath.relpath(_site_uri(target), folder or ".") if (ROOT / target).is_file() else link[0]

    return markdown if page.file.src_uri.endswith(".py.md") else LINK.sub(rewrite, markdown)


def on_page_content(page_html: str, **_: Any) -> str:
    """Write formulas in LaTeX as MathML, and the number of an equation beside it."""

    def typeset(formula: re.Match[str]) -> str:
        latex = html.unescape(formula[2])
        if formula[1] == "span":
            return convert(latex)
        number = TAG.search(latex)
        label = f'<span class="number">({number[1]})</span>' if number else ""
        return f'<div class="equation"><div>{convert(TAG.sub("", latex), display="block")}</div>{label}</div>'

    return FORMULA.sub(typeset, page_html)


def on_post_build(config: MkDocsConfig) -> None:
    """Fail if a page would load anything from another host."""
    for file in Path(config.site_dir).rglob("*"):
        if file.suffix in (".html", ".css") and (found := LOADED.search(file.read_text(encoding="utf-8"))):
            raise PluginError(f"{file.relative_to(config.site_dir)} loads from another host: {found[0]}")


def _generated(config: MkDocsConfig, repository_path: str) -> File:
    source = ROOT / repository_path
    if source.suffix == ".py":
        text = CODE.format(path=repository_path, name=source.name, code=source.read_text(encoding="utf-8"))
        return File.generated(config, _site_uri(repository_path), content=text)
    return File.generated(config, _site_uri(repository_path), abs_src_path=str(source))


def _links(page: File) -> set[str]:
    """Return the files of the repository that a page links to."""
    here = _repository_path(page)
    targets = (_target(here, link[2]) for link in LINK.finditer(page.content_string))
    return {target for target in targets if (ROOT / target).is_file()}


def _target(here: str, link: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(here), link))


def _repository_path(file: File) -> str:
    """Return the path in the repository of a page of the site."""
    back = {site: repository for repository, site in MOVED.items()}
    outside = ROOT / file.src_uri
    return back.get(file.src_uri) or (file.src_uri if outside.is_file() else f"docs/{file.src_uri}")


def _site_uri(repository_path: str) -> str:
    """Return the path on the site of a file of the repository."""
    page = MOVED.get(repository_path, repository_path.removeprefix("docs/"))
    return f"{page}.md" if page.endswith(".py") else page
