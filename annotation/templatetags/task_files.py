"""Tags that load style sheets and scripts from a task's folder, in its `static/`.

A template names a file without its folder, so that a copied task uses its own: `{% task_css "page.css" %}`.
"""

from django import template
from django.template.base import Parser, Token
from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.safestring import SafeString

from annotation.templatetags.display_tags import modules_before

register = template.Library()


class TaskFile(template.Node):
    """The element that loads one file of the task's folder."""

    def __init__(self, name: str, *, script: bool) -> None:
        self.file, self.script = name, script

    def render(self, context: template.Context) -> SafeString:
        if self.script:
            tags = '{}\n<script type="module" src="{}"></script>'
            return format_html(tags, modules_before(self.file), static(self.file))
        return format_html('<link rel="stylesheet" href="{}">', static(self.file))


@register.tag
def task_css(parser: Parser, token: Token) -> TaskFile:
    """Link a style sheet of the task whose folder the template lies in."""
    return TaskFile(_path(parser, token), script=False)


@register.tag
def task_script(parser: Parser, token: Token) -> TaskFile:
    """Load a script of the task whose folder the template lies in, with preloads of the modules that it imports."""
    return TaskFile(_path(parser, token), script=True)


def _path(parser: Parser, token: Token) -> str:
    """The static path of the file that the tag names: tasks/<folder>/<file>."""
    tag, *names = token.split_contents()
    if len(names) != 1 or names[0][:1] not in {'"', "'"} or names[0][-1:] != names[0][:1]:
        raise template.TemplateSyntaxError(f"{tag} takes the name of one file, in quotes")
    folder, slash, _page = str(parser.origin and parser.origin.template_name).partition("/")
    if not slash:
        raise template.TemplateSyntaxError(f"{tag} belongs in a template of a task's folder")
    return f"tasks/{folder}/{names[0][1:-1]}"
