"""Diagrams: the committed drawings, the directive that shows them, the command that draws them."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("sphinx")

from attnbook.sphinxext.browser import find_chromium
from attnbook.sphinxext.mermaid import browser, drawings, style
from attnbook.sphinxext.mermaid.draw import main
from attnbook.sphinxext.mermaid.drawings import Diagram, DiagramError

ROOT = Path(__file__).parents[2]
DIAGRAMS = ROOT / "docs" / "diagrams"
STYLESHEET = ROOT / "docs" / "_static" / "mermaid.css"
ENGLISH = [found for found in drawings.all_diagrams(DIAGRAMS) if found.path.suffixes == [".mmd"]]

EXTENSIONS = ("myst_parser", "attnbook.sphinxext.mermaid")
LOCK = '{"packages": {"node_modules/mermaid": {"version": "11.0.0"}}}'
WORDS = "accTitle: Two boxes\naccDescr: One arrow from a to b.\n"
FLOW = f"flowchart TB\n{WORDS}a --> b\n"
FLOW_ZH = "flowchart TB\naccTitle: 两个方框\naccDescr: 一个箭头由 a 指向 b。\na --> b\n"
SVG = '<svg id="diagram-flow" width="{width}" height="30"><g id="diagram-flow-a"/></svg>\n'
PAGE = """\
# Page

See {numref}`fig-flow`.

```{mermaid} flow
:name: fig-flow

The arrow points *down*.
```
"""


# -- what is committed ----------------------------------------------------------------------------


def test_every_drawing_matches_its_source():
    assert drawings.all_diagrams(DIAGRAMS)
    assert drawings.stale_diagrams(DIAGRAMS) == []
    assert drawings.orphan_drawings(DIAGRAMS) == []


@pytest.mark.parametrize("english", ENGLISH, ids=lambda diagram: diagram.stem)
def test_both_languages_draw_the_same_nodes_and_edges(english):
    chinese = Diagram.named(DIAGRAMS, english.stem, "zh_CN")
    ids = [sorted(ids_in(found.drawing.read_text("utf-8"))) for found in (english, chinese)]
    assert len(ids[0]) > 3
    assert ids[0] == ids[1]
    assert re.search(r"[\u4e00-\u9fff]", chinese.title)
    assert re.search(r"[\u4e00-\u9fff]", chinese.description)


@pytest.mark.parametrize(
    "diagram", drawings.all_diagrams(DIAGRAMS), ids=lambda diagram: diagram.path.stem
)
def test_drawing_can_stand_in_any_page(diagram):
    check_can_stand_in_any_page(diagram.drawing.read_text("utf-8"), diagram.stem)


def check_can_stand_in_any_page(text, stem):
    assert set(re.findall(r'\w+://[^"]+', text)) == {"http://www.w3.org/2000/svg"}
    assert "foreignObject" not in text
    assert all(found.startswith(f"diagram-{stem}") for found in ids_in(text))
    # a colour stands nowhere but behind its name
    rest = re.sub(r"url\(.*?\)|#diagram-[\w-]+|var\(--mmd-[\w-]+, #[0-9a-f]{6}\)", "", text)
    assert not re.findall(r"(?:#[0-9a-fA-F]{3,8}|rgba?|hsla?)\b", rest)


def ids_in(text):
    return re.findall(r' id="([^"]+)"', text)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_colours_have_contrast(theme):
    colours = palette(theme)
    assert colours.keys() == style.PALETTE.keys()
    for ground in ("data-bg", "operation-bg", "group-bg", "label-bg"):
        assert contrast(colours["text"], colours[ground]) >= 4.5
    for stroke in ("line", "data-line", "operation-line", "life-line", "group-line"):
        assert contrast(colours[stroke], colours["label-bg"]) >= 3


def palette(theme):
    if theme == "light":
        return style.PALETTE
    css = STYLESHEET.read_text("utf-8").partition('[data-theme="dark"]')[2]
    return dict(re.findall(r"--mmd-([\w-]+):[^;]*(#[0-9a-f]{6})", css))


def contrast(one, other):
    def luminance(colour):
        channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


# -- one source -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "name"),
    [("en", "flow.mmd"), ("en_GB", "flow.mmd"), ("zh_CN", "flow.zh_CN.mmd"), ("fr", "flow.fr.mmd")],
)
def test_edition_picks_the_file_of_its_language(tmp_path, language, name):
    diagram = Diagram.named(tmp_path, "flow", language)
    assert diagram.path == tmp_path / name
    assert diagram.stem == "flow"


def test_alt_text_may_span_lines(folder):
    diagram = folder(flow="flowchart TB\n  accTitle : T\n  accDescr {\n one\n  two }\na-->b")[
        "flow"
    ]
    assert diagram.alt == "T: one two"
    assert diagram.statements == "flowchart TB\n\n\n\n\na-->b"


def test_comments_leave_the_lines_where_they_are(folder):
    diagram = folder(flow="%% why\n\n  %% this\nflowchart TB\na-->b %% no comment\n")["flow"]
    assert diagram.statements == "\n\n\nflowchart TB\na-->b %% no comment\n"
    assert diagram.alt == ""


def test_drawing_is_found_by_everything_that_decides_it(folder, monkeypatch):
    diagram = folder(flow=FLOW)["flow"]
    names = [diagram.drawing.name]
    names.append(Diagram(write(diagram.path, FLOW + "b --> c\n")).drawing.name)
    monkeypatch.setitem(style.PALETTE, "text", "#000000")
    names.append(Diagram(diagram.path).drawing.name)
    write(diagram.path.parent / "package-lock.json", LOCK.replace("11.0.0", "11.0.1"))
    names.append(Diagram(diagram.path).drawing.name)
    script = write(diagram.path.parent / "draw.js", "// another")
    monkeypatch.setattr(drawings, "SCRIPT", script)
    names.append(Diagram(diagram.path).drawing.name)
    assert len(set(names)) == 5
    assert all(re.fullmatch(r"flow\.[0-9a-f]{12}\.svg", name) for name in names)


@pytest.mark.parametrize("lock", [None, "{}"])
def test_unpinned_mermaid_is_an_error(tmp_path, lock):
    if lock:
        write(tmp_path / "package-lock.json", lock)
    with pytest.raises(DiagramError, match=r"package-lock\.json.*pin"):
        drawings.mermaid_version(tmp_path)


# -- the directive --------------------------------------------------------------------------------


@pytest.fixture
def page(book):
    """Return a maker of a built page that shows the diagram ``flow``, as if it had been drawn."""

    def make(text=PAGE, *, sources=None, width=300, more=None, drawn=True, **config):
        sources = {"flow.mmd": FLOW, "flow.zh_CN.mmd": FLOW_ZH} if sources is None else sources
        made = book({"index.md": text, "package-lock.json": LOCK, **(more or {})})
        made.write({f"diagrams/{name}": source for name, source in sources.items()})
        (made.folder / "diagrams" / "drawn").mkdir(parents=True, exist_ok=True)
        for diagram in drawings.all_diagrams(made.folder / "diagrams") if drawn else ():
            write(diagram.drawing, SVG.format(width=width).replace("><g", f">{diagram.title}<g"))
        return made.build(*EXTENSIONS, **config)

    return make


def test_figure_has_number_caption_and_drawing(page):
    built = page()
    assert built.warnings == ""
    html = built.page()
    assert re.search(r'<a [^>]*href="#fig-flow"><span class="std std-numref">Fig\. 1</span>', html)
    assert re.search(r'<figure [^>]*id="fig-flow">\s*<div class="mermaid-drawing"[^>]*><svg', html)
    assert 'Fig. 1 </span><span class="caption-text">The arrow points <em>down</em>.<' in html
    assert "mermaid.css" in html


def test_page_is_built_again_when_the_look_changes(page):
    depends = {Path(found).name for found in page().app.env.dependencies["index"]}
    assert {"flow.mmd", "draw.js", "style.py", "package-lock.json"} <= depends
    assert any(name.endswith(".svg") for name in depends)


def test_text_after_the_caption_is_the_legend(page):
    html = page(PAGE.replace("down*.\n", "down*.\n\nA legend.\n")).page()
    assert re.search(r'<div class="legend">\s*<p>A legend\.</p>', html)


@pytest.mark.parametrize(("width", "stops"), [(300, False), (600, True)])
def test_box_that_can_scroll_is_reached_by_keyboard(page, width, stops):
    box = re.search(r'<div class="mermaid-drawing"[^>]*>', page(width=width).page())[0]
    assert f"--mmd-smallest: {width * 3 // 4}px" in box
    assert ('tabindex="0" role="group" aria-label="Two boxes"' in box) is stops
    assert ("tabindex" in box) is stops


def test_diagram_shown_twice_has_its_own_ids(page):
    html = page(PAGE + PAGE.partition("`.\n")[2].replace("fig-flow", "fig-again")).page()
    ids = [found for found in ids_in(html) if found.startswith("diagram-")]
    assert ids == ["diagram-flow", "diagram-flow-a", "diagram-flow-2", "diagram-flow-2-a"]


def test_text_edition_says_the_words(page):
    built = page(builder="text")
    text = Path(built.app.outdir, "index.txt").read_text("utf-8")
    assert "[diagram: Two boxes: One arrow from a to b.]" in text
    assert "The arrow points *down*." in text


def test_caption_and_diagram_are_translated(page):
    messages = (
        'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n'
        'msgid "The arrow points *down*."\nmsgstr "箭头指向*下方*。"\n'
    )
    more = {"locale/zh_CN/LC_MESSAGES/index.po": messages}
    built = page(more=more, language="zh_CN", locale_dirs=["locale"])
    assert built.warnings == ""
    assert '<span class="caption-text">箭头指向<em>下方</em>。' in built.page()
    assert "两个方框" in built.page()
    assert "Two boxes" not in built.page()


def test_caption_is_extracted_for_translation(page):
    built = page(builder="gettext")
    assert 'msgid "The arrow points *down*."' in Path(built.app.outdir, "index.pot").read_text()


def test_missing_translation_names_the_file_to_write(page):
    built = page(sources={"flow.mmd": FLOW}, language="zh_CN")
    assert re.search(r"index\.md:5: ERROR: .*write diagrams/flow\.zh_CN\.mmd", built.warnings)


def test_drawing_that_is_missing_is_a_warning_that_says_what_to_do(page):
    built = page(drawn=False)
    assert re.search(
        r"index\.md:5: WARNING: diagrams/flow\.mmd changed since it was drawn; draw it with: "
        r"nox -s diagrams \(needs Chromium: apt-get install chromium fonts-noto-cjk\)",
        built.warnings,
    )
    assert "a --&gt; b" in built.page()


@pytest.mark.parametrize("line", WORDS.splitlines())
def test_missing_alt_text_is_a_warning(page, line):
    built = page(sources={"flow.mmd": FLOW.replace(line, "")})
    assert re.search(
        r"index\.md:5: WARNING: .*flow\.mmd needs accTitle and accDescr", built.warnings
    )


@pytest.mark.parametrize("part", [":name: fig-flow\n", "The arrow points *down*.\n"])
def test_missing_caption_or_label_is_an_error(page, part):
    built = page(PAGE.replace(part, "").replace("See {numref}`fig-flow`.", "See."))
    assert re.search(r"index\.md:5: ERROR: .*needs a caption .* and a :name:", built.warnings)


# -- the command, without a browser ---------------------------------------------------------------


@pytest.fixture
def folder(tmp_path):
    """Return a maker of a folder of diagrams by stem and source."""

    def make(**sources):
        write(tmp_path / "package-lock.json", LOCK)
        paths = {stem: write(tmp_path / f"{stem}.mmd", text) for stem, text in sources.items()}
        return {stem: Diagram(path) for stem, path in paths.items()}

    return make


def write(path, text):
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, "utf-8")
    return path


@pytest.fixture
def no_browser(monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("ATTNBOOK_CHROMIUM", raising=False)
    monkeypatch.setitem(sys.modules, "playwright", None)


@pytest.mark.usefixtures("no_browser")
def test_check_lists_what_is_stale(folder, tmp_path, capsys):
    made = folder(flow=FLOW, other=FLOW)
    write(made["flow"].drawing, SVG)
    orphan = write(tmp_path / "drawn" / "other.000000000000.svg", SVG)
    assert main([str(tmp_path), "--check"]) == 1
    said = capsys.readouterr().out.splitlines()
    assert said == [
        f"{tmp_path / 'other.mmd'}: changed since it was drawn",
        f"{orphan}: belongs to no diagram",
    ]
    assert orphan.exists()


@pytest.mark.usefixtures("no_browser")
def test_nothing_stale_needs_no_browser(folder, tmp_path, capsys):
    write(folder(flow=FLOW)["flow"].drawing, SVG)
    orphan = write(tmp_path / "drawn" / "flow.000000000000.svg", SVG)
    assert main([str(tmp_path)]) == 0
    assert not orphan.exists()
    assert main([str(tmp_path), "--check"]) == 0


@pytest.mark.usefixtures("no_browser")
@pytest.mark.parametrize(
    ("installed", "says"),
    [
        (None, "run `npm ci`"),
        ("11.0.1", "holds Mermaid 11.0.1, not 11.0.0"),
        ("11.0.0", "Chromium"),
    ],
)
def test_what_is_not_installed_is_named(folder, tmp_path, capsys, installed, says):
    folder(flow=FLOW)
    if installed:
        package = tmp_path / "node_modules" / "mermaid"
        package.mkdir(parents=True)
        write(package / "package.json", f'{{"version": "{installed}"}}')
    assert main([str(tmp_path)]) == 1
    assert says in capsys.readouterr().err
    assert not (tmp_path / "drawn").exists()


# -- the command, with one ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def mermaid():
    """Return the installed script of the pinned Mermaid, where there is all that drawing takes."""
    pytest.importorskip("playwright")
    try:
        find_chromium()
        return browser.find_mermaid(ROOT / "node_modules", drawings.mermaid_version(ROOT))
    except (FileNotFoundError, DiagramError) as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def fresh_page(mermaid):
    with browser.drawing_browser(mermaid) as open_page:
        yield open_page


@pytest.fixture
def drawing_page(fresh_page):
    return fresh_page()


@pytest.fixture
def drawable(folder, tmp_path, mermaid):
    """Return a maker of a folder whose lock file pins the Mermaid that is installed."""

    def make(**sources):
        made = folder(**sources)
        shutil.copy(ROOT / "package-lock.json", tmp_path)
        return made

    return make


@pytest.mark.browser
@pytest.mark.parametrize(
    ("source", "line", "says"),
    [
        (f"flowchart TB\n{WORDS}a --> b\nb --> --> c\n", 5, "Parse error on line 5"),
        (f"%% why\n\nflowchart TB\n{WORDS}\n  %% so\n b --> --> c\n", 8, "Parse error on line 8"),
        (f'flowchart TB\n{WORDS}a["x --> b\n', 4, "Parse error"),
        (f"sequenceDiagram\n{WORDS}a->>b: x\n %% y\nb-->>\na->>b: z\n", 6, "Parse error on line 6"),
        (f"flowchat TB\n{WORDS}", 1, "No diagram type detected"),
        ("flowchart TB\na --> b\n", 1, "needs accTitle and accDescr"),
        (
            f"flowchart TB\n{WORDS}classDef x fill:#ABCDEF\na:::x --> b\n",
            4,
            "painted with #abcdef,",
        ),
        (f"flowchart TB\n{WORDS}a --> b\nstyle a fill:red\n", 1, "painted with #ff0000,"),
        (f"%%{{init: {{}}}}%%\nflowchart TB\n{WORDS}a --> b\n", 1, "settings belong in style.py"),
        (f"---\ntitle: x\n---\nflowchart TB\n{WORDS}a --> b\n", 1, "settings belong in style.py"),
    ],
)
def test_bad_source_is_refused_with_file_and_line(drawable, drawing_page, source, line, says):
    diagram = drawable(flow=source)["flow"]
    with pytest.raises(DiagramError) as caught:
        browser.draw(drawing_page, diagram)
    assert str(caught.value).startswith(f"{diagram.path}:{line}: ")
    assert says in str(caught.value)


def run_command(folder, **environment):
    """Draw in a process of its own: one process can drive one browser at a time."""
    command = [sys.executable, "-m", "attnbook.sphinxext.mermaid.draw", str(folder)]
    return subprocess.run(
        [*command, "--node-modules", str(ROOT / "node_modules")],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), **environment},
        capture_output=True,
        text=True,
    )


@pytest.mark.browser
def test_one_bad_diagram_and_nothing_is_written(drawable, tmp_path):
    made = drawable(bad=f"flowchart TB\n{WORDS}a --> --> b\n", good=FLOW)
    old = write(tmp_path / "drawn" / "good.000000000000.svg", SVG)
    run = run_command(tmp_path)
    assert run.returncode == 1
    assert run.stderr.startswith(f"{made['bad'].path}:4: Parse error on line 4")
    assert list((tmp_path / "drawn").iterdir()) == [old]


@pytest.mark.browser
def test_drawn_again_the_bytes_are_the_same(drawable, fresh_page, tmp_path):
    talk = f"sequenceDiagram\n{WORDS}a->>b: 查询\nNote over a,b: 键\nb-->>a: 值\n"
    made = drawable(flow=FLOW, talk=talk).values()
    # another browser, and there the diagrams follow others that were drawn before them
    for _ in range(2):
        again = {diagram: browser.draw(fresh_page(), diagram) for diagram in made}
    run = run_command(tmp_path)
    assert (run.returncode, run.stderr) == (0, "")
    for diagram in made:
        assert diagram.drawing.read_bytes() == again[diagram].encode()


@pytest.mark.browser
def test_drawing_follows_the_theme(drawable, drawing_page):
    diagram = drawable(flow=FLOW)["flow"]
    svg = browser.draw(drawing_page, diagram)
    # a page of its own: the one that draws keeps its scripts
    page = drawing_page.context.new_page()
    page.set_content(f'<html><body><div class="mermaid-drawing">{svg}</div></body></html>')
    page.add_style_tag(path=STYLESHEET)
    seen = {}
    for theme in ("light", "dark"):
        page.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
        seen[theme] = page.evaluate(
            "() => ['.node rect', '.node text'].map((one) => "
            "getComputedStyle(document.querySelector(one)).fill)"
        )
    page.close()
    for theme, fills in seen.items():
        wanted = [palette(theme)[name] for name in ("data-bg", "text")]
        assert fills == [f"rgb{tuple(bytes.fromhex(colour[1:]))}" for colour in wanted]


@pytest.mark.browser
def test_file_name_must_make_an_id(folder, drawing_page):
    with pytest.raises(DiagramError, match="lower-case letters, digits and hyphens"):
        browser.draw(drawing_page, folder(**{"My flow": FLOW})["My flow"])


@pytest.mark.browser
def test_sequence_diagram_keeps_no_bare_id_and_no_bare_colour(drawable, drawing_page):
    source = f"sequenceDiagram\n{WORDS}a->>b: x\nNote over a,b: y\nloop z\nb-->>a: 1\nend\n"
    check_can_stand_in_any_page(browser.draw(drawing_page, drawable(flow=source)["flow"]), "flow")


@pytest.mark.browser
def test_screen_reader_gets_one_name(drawable, drawing_page):
    svg = browser.draw(drawing_page, drawable(flow=FLOW)["flow"])
    root = re.match(r"<svg[^>]*>", svg)[0]
    assert 'role="img" aria-label="Two boxes: One arrow from a to b."' in root
    assert "<title" not in svg
    assert "<desc" not in svg


@pytest.mark.browser
@pytest.mark.parametrize(
    ("only", "package"),
    [("DejaVu Sans", "fonts-noto-cjk"), ("Noto Sans CJK SC", "fonts-dejavu-core")],
)
def test_missing_font_is_refused_with_its_package(drawable, tmp_path, only, package):
    if shutil.which("fc-match") is None:
        pytest.skip("fc-match tells where the fonts are")
    found = subprocess.run(
        ["fc-match", "-f", "%{family[0]}|%{file}", only], capture_output=True, text=True, check=True
    )
    family, _, file = found.stdout.partition("|")
    if family != only:
        pytest.skip(f"{only} is not installed")
    fonts = write(
        tmp_path / "fonts.conf",
        '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>'
        f"<dir>{Path(file).parent}</dir><cachedir>{tmp_path}</cachedir></fontconfig>",
    )
    drawable(flow=FLOW)
    run = run_command(tmp_path, FONTCONFIG_FILE=str(fonts))
    assert run.returncode == 1
    assert f"apt-get install {package}" in run.stderr
    assert not (tmp_path / "drawn").exists()
