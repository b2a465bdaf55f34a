"""The directive ``mermaid``: a diagram as a numbered figure with caption and label."""

from __future__ import annotations

import os
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from .drawings import RENDERER_FILES, Diagram, DiagramError, lock_file
from .nodes import mermaid_drawing

logger = logging.getLogger(__name__)
HOW_TO_DRAW = "nox -s diagrams (needs Chromium: apt-get install chromium fonts-noto-cjk)"


class MermaidDirective(SphinxDirective):
    """Show the diagram `<stem>.mmd`, or `<stem>.<language>.mmd` in a translated edition.

    The argument is the stem, the body is the caption (a paragraph; what follows it becomes the
    legend), and ``:name:`` is the label that ``{numref}`` resolves.
    """

    required_arguments = 1
    has_content = True
    option_spec: ClassVar = {"name": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        """Return the figure, or the error that takes its place."""
        try:
            diagram = self._find_diagram()
            drawing = diagram.drawing
            self._note_dependencies(diagram)
        except DiagramError as error:
            raise self.error(str(error)) from error
        if not diagram.alt:
            self._warn(f"{self._shown(diagram.path)} needs accTitle and accDescr: they are its alt")
        if drawing.is_file():
            picture = mermaid_drawing(
                drawing=self._from_srcdir(drawing),
                element=diagram.element_id,
                title=diagram.title,
                alt=diagram.alt,
            )
        else:
            path = self._shown(diagram.path)
            self._warn(f"{path} changed since it was drawn; draw it with: {HOW_TO_DRAW}")
            picture = nodes.literal_block(diagram.source, diagram.source, language="text")
        self.set_source_info(picture)
        return [self._figure(picture)]

    def _find_diagram(self) -> Diagram:
        folder = Path(self.env.srcdir, self.config.mermaid_diagrams)
        stem, language = self.arguments[0], self.config.language
        diagram = Diagram.named(folder, stem, language)
        if not diagram.path.is_file():
            missing = self._shown(diagram.path)
            raise DiagramError(f"no diagram {stem!r} in the language {language!r}: write {missing}")
        if not self.content or "name" not in self.options:
            raise DiagramError(f"diagram {stem!r} needs a caption (its body) and a :name:")
        return diagram

    def _note_dependencies(self, diagram: Diagram) -> None:
        lock = lock_file(diagram.path.parent)
        for path in (diagram.path, diagram.drawing, lock, *RENDERER_FILES):
            self.env.note_dependency(self._from_srcdir(path))

    def _figure(self, picture: nodes.Element) -> nodes.figure:
        figure = nodes.figure("", picture)
        self.set_source_info(figure)
        first, *rest = self.parse_content_to_nodes(allow_section_headings=False)
        if not isinstance(first, nodes.paragraph):
            raise self.error("the caption of a diagram is a paragraph")
        # the raw source is what gettext extracts
        caption = nodes.caption(first.rawsource, "", *first.children)
        caption.source, caption.line = first.source, first.line
        figure += caption
        if rest:
            figure += nodes.legend("", *rest)
        self.add_name(figure)
        return figure

    def _warn(self, message: str) -> None:
        logger.warning(message, location=self.get_location(), type="mermaid")

    def _from_srcdir(self, path: Path) -> str:
        return Path(os.path.relpath(path, self.env.srcdir)).as_posix()

    def _shown(self, path: Path) -> str:
        """Return a path as a person who stands in the project's folder would type it."""
        return Path(os.path.relpath(path.resolve(), lock_file(path.parent).parent)).as_posix()
