"""What carries a reader along: the next page, the way to an entry, code to take away."""

import doctest

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
def test_copied_code_runs(browser, address, edition):
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    tab = context.new_page()
    tab.goto(f"{address['http']}/{edition}/reference/api.html")
    block = tab.locator(".highlight", has=tab.locator("pre .gp")).first
    shown = block.locator("pre").text_content()
    block.hover()
    block.locator("button.copybtn").click()
    tab.wait_for_function("navigator.clipboard.readText().then((text) => text.includes('import'))")
    copied = tab.evaluate("navigator.clipboard.readText()")
    # what one types, without prompts and answers
    typed = "".join(example.source for example in doctest.DocTestParser().get_examples(shown))
    assert copied.replace("\r\n", "\n").strip() == typed.strip()
    context.close()


FADING = """async (boxes) => {
  const frame = () => new Promise(requestAnimationFrame);
  const drawn = () => frame().then(frame);
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
  const look = (box) => ({ cuts: cuts(box), fades: sides(box) });
  const seen = [];
  for (const box of boxes.filter((box) => box.checkVisibility())) {
    box.scrollIntoView({ block: "center" });
    await drawn();
    const before = look(box);
    box.scrollTo(1e6, 0);
    await drawn();
    seen.push({ html: box.outerHTML.slice(0, 160), looks: [before, look(box)] });
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
