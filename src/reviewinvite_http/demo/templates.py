"""Templates and style sheets of the demo's pages, which are in English, as the command is."""

from __future__ import annotations

from importlib.resources import files

from litestar.plugins.jinja import JinjaTemplateEngine
from litestar.response import Response
from litestar.template import TemplateConfig

from reviewinvite_core import Language
from reviewinvite_core.texts import templates_in

TEMPLATES = TemplateConfig(
    instance=JinjaTemplateEngine.from_environment(templates_in(Language.EN, "reviewinvite_http", "demo"))
)


def style_sheet(*names: str) -> Response[str]:
    """Return style sheets as one; those of the service's pages have a path."""
    folder = files("reviewinvite_http")
    text = "".join(folder.joinpath("demo", name).read_text(encoding="utf-8") for name in names)
    return Response(text, media_type="text/css")
