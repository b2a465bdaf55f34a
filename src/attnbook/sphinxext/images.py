"""Images that move nothing when they arrive and are fetched when the reader comes near them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.images import get_image_size

if TYPE_CHECKING:
    from sphinx.application import Sphinx


class SizeImages(SphinxPostTransform):
    """Say how large every image of a page is, and which of them can wait."""

    # after MyST-NB has chosen which form of an output is shown (4)
    default_priority = 700
    builders = ("html",)

    def run(self, **kwargs: object) -> None:
        """Measure the images; only the first may be in sight when the page opens."""
        for place, image in enumerate(self.document.findall(nodes.image)):
            size = get_image_size(Path(self.env.srcdir, image["uri"]))
            if size and not {"width", "height", "scale"} & set(image.attributes):
                image["width"], image["height"] = map(str, size)
            if place:
                image["loading"] = "lazy"


def setup(app: Sphinx) -> dict[str, object]:
    """Register the transform."""
    app.add_post_transform(SizeImages)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
