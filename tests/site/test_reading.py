"""What carries a reader along: the next page, the way to an entry, code to take away."""

import doctest
import re

import pytest

pytestmark = [pytest.mark.site]


def test_next_leads_through_every_page_and_previous_back(site, read, edition):
    folder = site / edition
    here, seen = folder / "index.html", []
    while here not in seen:
        seen.append(here)
        links = {kind: read(here).select_one(f"a.{kind}") for kind in ("left-prev", "right-next")}
        last = seen[-2] if len(seen) > 1 else None
        assert (links["left-prev"] and (here.parent / links["left-prev"]["href"]).resolve()) == last
        if links["right-next"]:
            here = (here.parent / links["right-next"]["href"]).resolve()
    pages = {
        path
        for path in folder.rglob("*.html")
        if read(path).select_one("article.bd-article section[id]")
    }
    assert set(seen) == pages


@pytest.mark.browser
def test_name_in_the_code_leads_to_its_entry(open_tab, address, access, edition):
    tab, _ = open_tab(access, "reading")
    tab.goto(f"{address[access]}/{edition}/foundations/masks.html")
    tab.locator("a.code-link", has_text="causal_mask").locator("visible=true").first.click()
    tab.wait_for_url("**/reference/api.html#attnbook.causal_mask")
    assert tab.locator("dt:target").get_attribute("id") == "attnbook.causal_mask"


@pytest.mark.browser
def test_copied_code_runs(browser, address, copy, edition):
    context = browser.new_context()
    tab = context.new_page()
    tab.goto(f"{address['http']}/{edition}/reference/api.html")
    block = tab.locator(".highlight", has=tab.locator("pre .gp")).first
    shown = block.locator("pre").text_content()
    block.hover()
    copied = copy(block.locator("button.copybtn"))
    # what one types, without prompts and answers
    typed = "".join(example.source for example in doctest.DocTestParser().get_examples(shown))
    assert copied.replace("\r\n", "\n").strip() == typed.strip()
    context.close()


FADING = """async (boxes) => {
  const PATIENCE_MS = 5000;
  const frame = () => new Promise(requestAnimationFrame);
  const fades = (box, side) =>
    box.matches(`.more-${side}`) && getComputedStyle(box).maskImage.includes("gradient");
  const cuts = (box) => {
    const range = document.createRange();
    // a formula is there a second time, for screen readers
    range.selectNodeContents(box.querySelector(":scope > .katex-display .katex-html") ?? box);
    const [inner, outer] = [range, box].map((one) => one.getBoundingClientRect());
    return [inner.left < outer.left - 3, inner.right > outer.right + 3];
  };
  const sides = (box) => [fades(box, "left"), fades(box, "right")];
  // a busy browser says late what came into view
  const look = async (box) => {
    const end = performance.now() + PATIENCE_MS;
    let seen;
    await frame();
    do {
      await frame();
      seen = { cuts: cuts(box), fades: sides(box) };
    } while (`${seen.cuts}` !== `${seen.fades}` && performance.now() < end);
    return seen;
  };
  const seen = [];
  for (const box of boxes.filter((box) => box.checkVisibility())) {
    box.scrollIntoView({ block: "center" });
    const before = await look(box);
    box.scrollTo(1e6, 0);
    seen.push({ html: box.outerHTML.slice(0, 160), looks: [before, await look(box)] });
  }
  return seen;
}"""


@pytest.mark.browser
@pytest.mark.parametrize(
    ("where", "kind"),
    [
        ("foundations/many-heads", ".math-scroll"),
        ("reference/measured", ".pst-scrollable-table-container"),
        ("foundations/masks", "div[class*=highlight-] pre"),
    ],
)
def test_a_box_that_scrolls_shows_where_there_is_more(open_tab, address, edition, where, kind):
    tab, _ = open_tab("http", "reading", size={"width": 390, "height": 844})
    tab.goto(f"{address['http']}/{edition}/{where}.html")
    boxes = tab.locator(f"article {kind}")
    seen = boxes.evaluate_all(FADING)
    for at in (0, 1):
        assert any(any(box["looks"][at]["cuts"]) for box in seen)
    for box in seen:
        for look in box["looks"]:
            assert look["fades"] == look["cuts"], box


@pytest.mark.browser
def test_a_formula_that_grows_when_its_letters_come_shows_it(browser, address, edition):
    from playwright.sync_api import expect

    context = browser.new_context(viewport={"width": 390, "height": 844})
    tab = context.new_page()
    held = []
    tab.route("**/fonts/KaTeX*", lambda route: held.append(route))
    page = f"{address['http']}/{edition}/foundations/many-heads.html"
    tab.goto(page, wait_until="domcontentloaded")
    box = tab.locator("#equation-eq-multi-head .math-scroll")
    box.scroll_into_view_if_needed()
    expect(box).to_have_class(re.compile("more-right"))
    # the window just wide enough for it, in other letters
    hidden = box.evaluate("(box) => box.scrollWidth - box.clientWidth")
    tab.set_viewport_size({"width": 390 + hidden + 8, "height": 844})
    expect(box).not_to_have_class(re.compile("more-right"))
    for font in held:
        font.continue_()
    expect(box).to_have_class(re.compile("more-right"))
    context.close()
