"""The book as a PDF, one for each edition: whole, linked, and drawn with fonts that it carries."""

import re
import unicodedata
from functools import cache
from itertools import pairwise
from urllib.parse import urlsplit

import pytest

pytestmark = pytest.mark.site

RADICALS = re.compile("[\u2e80-\u2fdf]")
# what shows text in the code of a page
SHOWING = {"Tj", "TJ", "'", '"'}


@pytest.fixture(scope="session")
def path_of(site):
    """Return a function that finds the PDF of an edition."""

    def find(edition: str):
        path = site / edition / f"attnbook-{edition}.pdf"
        assert path.is_file(), f"{path} is missing: nox -s books makes it"
        return path

    return find


@pytest.fixture(scope="session")
def open_pdf(path_of):
    """Return a function that opens the PDF of an edition."""
    import pikepdf

    return cache(lambda edition: pikepdf.open(path_of(edition)))


@pytest.fixture
def pdf(open_pdf, edition):
    return open_pdf(edition)


@pytest.fixture(scope="session")
def text_of(path_of):
    """Return a function that reads the text of each sheet of an edition, but for the footer."""
    import pypdfium2

    @cache
    def read_text(edition: str) -> list[str]:
        with pypdfium2.PdfDocument(path_of(edition)) as pdf:
            texts = [sheet.get_textpage().get_text_range() for sheet in pdf]
        footer = re.compile(r"^(.* )?\d+\r\n")
        return [texts[0], *(footer.sub("", text) for text in texts[1:])]

    return read_text


@pytest.fixture(scope="session")
def squeezed_text_of(text_of):
    """Return a function that reads the text of each sheet without spaces."""
    return cache(lambda edition: list(map(squeeze, text_of(edition))))


def squeeze(text: str) -> str:
    """Drop what lines and ligatures may have changed."""
    text = unicodedata.normalize("NFKC", text)
    return re.sub(r"[\s\u00ad\u2010\u200b\ufffe-]+", "", text)


def test_says_what_it_is(pdf, read, site, edition):
    front = read(site / edition / "index.html")
    assert str(pdf.docinfo.Title) == front.find("h1").find(string=True)
    assert str(pdf.docinfo.Author) == "The attnbook authors"
    assert str(pdf.Root.Lang) == edition
    # tagged: a screen reader knows what is a heading and what a list
    assert pdf.Root.MarkInfo.Marked


def holds(sheets: list[str], text: str) -> bool:
    """Tell whether a text is on a sheet, or begins on one and goes on at the top of the next."""
    return any(text in sheet for sheet in sheets) or any(
        text[:cut] in sheet and following.startswith(text[cut:])
        for sheet, following in pairwise(sheets)
        for cut in range(1, len(text))
    )


def test_holds_every_paragraph(squeezed_text_of, read, site, edition, written_page):
    article = read(site / edition / f"{written_page}.html").find("article")
    # a formula is many small texts, and code breaks where it likes
    plain = [p.get_text() for p in article.select("section > p") if not p.select(".math, code")]
    assert plain
    sheets = squeezed_text_of(edition)
    assert [text for text in plain if not holds(sheets, squeeze(text))] == []


def test_text_is_the_characters_that_were_written(text_of, edition):
    assert RADICALS.findall("".join(text_of(edition))) == []


def walk(entries):
    """Yield the entries of an outline in the order of the book."""
    for entry in entries:
        yield entry
        yield from walk(entry.children)


def test_outline_names_every_heading_in_order(pdf, read, site, edition, written_page):
    article = read(site / edition / f"{written_page}.html").find("article")
    headings = [
        "".join(h.find_all(string=True, recursive=False)).removesuffix("#").strip()
        for h in article.select("h1, h2, h3")
        if not h.select(".math, code")
    ]
    with pdf.open_outline() as outline:
        listed = iter([entry.title for entry in walk(outline.root)])
    # each is found behind the one before
    assert [heading for heading in headings if heading not in listed] == []


def links(pdf):
    """Yield number of the sheet and target of every link: a name in the book, or an address."""
    for number, sheet in enumerate(pdf.pages, 1):
        for annotation in sheet.get("/Annots", []):
            if annotation.Subtype == "/Link":
                action = annotation.get("/A", {})
                target = annotation.get("/Dest", action.get("/D"))
                yield number, target, str(action.get("/URI", ""))


def test_links_stay_inside_or_lead_to_the_web(pdf):
    inside, wrong = 0, []
    for sheet, name, address in links(pdf):
        if name is not None:
            inside += 1
            if str(name) not in pdf.Root.Dests:
                wrong.append((sheet, str(name)))
        elif urlsplit(address).scheme not in {"https", "mailto"}:
            wrong.append((sheet, address))
    assert wrong == []
    assert inside > 300


def test_contents_say_where_chapters_begin(pdf, text_of, edition):
    import pikepdf

    begins = [
        pikepdf.Page(pdf.Root.Dests[str(name)][0]).index + 1
        for sheet, name, _ in links(pdf)
        if sheet == 2
    ]
    assert len(begins) >= 15
    numbers = [int(number) for number in re.findall(r"(\d+)\s*$", text_of(edition)[1], re.M)]
    assert [number for number in numbers if number > 2] == begins


def fonts_of(resources):
    """Yield every font of a sheet and of the drawings on it."""
    yield from resources.get("/Font", {}).values()
    for form in resources.get("/XObject", {}).values():
        yield from fonts_of(form.get("/Resources", {}))


def test_every_font_is_in_the_file(pdf):
    missing = set()
    for sheet in pdf.pages:
        for font in fonts_of(sheet.Resources):
            if font.Subtype != "/Type3":
                carrier = font.DescendantFonts[0] if font.Subtype == "/Type0" else font
                if not {"/FontFile", "/FontFile2", "/FontFile3"} & set(carrier.FontDescriptor):
                    missing.add(str(font.BaseFont))
    assert missing == set()


def shown_glyphs(stream, resources):
    """Yield font and codes of everything that a sheet, or a drawing on it, writes."""
    import pikepdf

    font = None
    for operands, operator in pikepdf.parse_content_stream(stream):
        if str(operator) == "Tf":
            font = resources.Font[str(operands[0])]
        elif str(operator) in SHOWING:
            texts = operands[-1] if str(operator) == "TJ" else operands[-1:]
            for text in texts:
                if isinstance(text, pikepdf.String):
                    codes = bytes(text)
                    if font.Subtype == "/Type0":
                        codes = [a * 256 + b for a, b in zip(codes[::2], codes[1::2], strict=True)]
                    yield font, codes
        elif str(operator) == "Do":
            form = resources.XObject[str(operands[0])]
            if form.Subtype == "/Form":
                yield from shown_glyphs(form, form.get("/Resources", resources))


def glyph_zero(font) -> set[int]:
    """Return the codes that show the box which stands for a missing glyph."""
    if font.Subtype != "/Type3":
        return {0}
    names = [str(name) for name in font.Encoding.Differences if not isinstance(name, int)]
    return {code for code, name in enumerate(names) if name == "/g0"}


def test_no_glyph_is_missing(pdf):
    boxes = cache(lambda number: glyph_zero(pdf.get_object(number)))
    missing, shown = [], 0
    for number, sheet in enumerate(pdf.pages, 1):
        for font, codes in shown_glyphs(sheet, sheet.Resources):
            shown += len(codes)
            if boxes(font.objgen) & set(codes):
                missing.append((number, str(font.get("/BaseFont", "Type 3"))))
    assert missing == []
    assert shown > 100_000
