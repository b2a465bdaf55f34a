"""The one look of every diagram: Mermaid's settings and the palette it draws with.

A diagram's source carries no settings of its own, so that the same node looks the same on every
page. Each colour of the palette leaves the drawing as ``var(--mmd-<name>, <hex>)``: the value here
is the light one, ``docs/_static/mermaid.css`` gives the dark one.
"""

from __future__ import annotations

# two names never share a value: a colour in Mermaid's output is traced back to its name by value
PALETTE = {
    "text": "#1b2733",
    "line": "#46586a",
    "data-bg": "#eaf2fb",
    "data-line": "#2f6fab",
    "operation-bg": "#fdf3dc",
    "operation-line": "#8f6a14",
    "group-bg": "#f6f8fa",
    "group-line": "#7d8b9a",
    "label-bg": "#fefefe",
    "life-line": "#6b7b8c",
}

# a wide Latin font comes first: with the Chinese font first, `·` and `√` turn full-width, and a
# box measured with a narrow font would be too small for the font a reader happens to have
DRAWING_FONTS = ("DejaVu Sans", "Noto Sans CJK SC")
READING_FONTS = "system-ui, 'PingFang SC', 'Microsoft YaHei', sans-serif"
FONT_FAMILY = ", ".join([*(f"'{name}'" for name in DRAWING_FONTS), READING_FONTS])

SETTINGS = {
    "theme": "base",
    "securityLevel": "strict",
    "deterministicIds": True,
    # labels as SVG text: as HTML in a foreignObject they clip, and PDF tools drop them. Mermaid
    # reads the setting in two places
    "htmlLabels": False,
    "flowchart": {
        "htmlLabels": False,
        "wrappingWidth": 320,
        "curve": "basis",
        "padding": 12,
        "nodeSpacing": 28,
        "rankSpacing": 36,
    },
    "sequence": {"mirrorActors": False, "width": 96, "actorMargin": 12, "diagramMarginX": 4},
    "fontFamily": FONT_FAMILY,
    "fontSize": 16,
    "themeCSS": (
        # a label is read against its own ground, not against the arrow that runs behind it
        ".edgeLabel rect { opacity: 1 }"
        # operations differ from data by their outline too, for readers who see no colours
        ".operation rect { rx: 18px; ry: 18px }"
        ".node rect, .flowchart-link { stroke-width: 1.5px }"
    ),
    "themeVariables": {
        "fontFamily": FONT_FAMILY,
        "fontSize": "16px",
        "background": PALETTE["label-bg"],
        "primaryColor": PALETTE["data-bg"],
        "primaryBorderColor": PALETTE["data-line"],
        "primaryTextColor": PALETTE["text"],
        "secondaryColor": PALETTE["group-bg"],
        "tertiaryColor": PALETTE["group-bg"],
        "lineColor": PALETTE["line"],
        "textColor": PALETTE["text"],
        "titleColor": PALETTE["text"],
        "arrowheadColor": PALETTE["line"],
        "mainBkg": PALETTE["data-bg"],
        "nodeBorder": PALETTE["data-line"],
        "nodeTextColor": PALETTE["text"],
        "clusterBkg": PALETTE["group-bg"],
        "clusterBorder": PALETTE["group-line"],
        "edgeLabelBackground": PALETTE["label-bg"],
        "actorBkg": PALETTE["data-bg"],
        "actorBorder": PALETTE["data-line"],
        "actorTextColor": PALETTE["text"],
        "actorLineColor": PALETTE["life-line"],
        "signalColor": PALETTE["line"],
        "signalTextColor": PALETTE["text"],
        "labelBoxBkgColor": PALETTE["group-bg"],
        "labelBoxBorderColor": PALETTE["group-line"],
        "labelTextColor": PALETTE["text"],
        "loopTextColor": PALETTE["text"],
        "noteBkgColor": PALETTE["operation-bg"],
        "noteBorderColor": PALETTE["operation-line"],
        "noteTextColor": PALETTE["text"],
        "activationBkgColor": PALETTE["group-bg"],
        "activationBorderColor": PALETTE["group-line"],
        "sequenceNumberColor": PALETTE["label-bg"],
    },
}
