// what a reader would see of the page that is open, as plain data
async () => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const smallerSide = (element) => {
    const { width, height } = element.getBoundingClientRect();
    return Math.min(width, height);
  };
  const drawn = (selector) => (box) =>
    Math.max(0, ...[...box.querySelectorAll(selector)].map(smallerSide)) > 0;
  const start = (element) => element.outerHTML.slice(0, 160);

  // what lies below the fold is fetched when one scrolls there
  await Promise.all(
    [...document.images].map((image) => {
      image.loading = "eager";
      return image.decode().catch(() => {});
    }),
  );
  await document.fonts.ready;

  const formulaSource = /\$[^$]+\$|\\[([]|\\(frac|sqrt|operatorname|mathbb|top)\b/;
  const withoutCode = (element) => {
    const copy = element.cloneNode(true);
    copy.querySelectorAll(".math, code, pre, kbd").forEach((inner) => inner.remove());
    return copy.textContent;
  };
  const scrolls = (box) => {
    const { overflowX, overflowY } = getComputedStyle(box);
    return (
      (/auto|scroll/.test(overflowX) && box.scrollWidth > box.clientWidth) ||
      (/auto|scroll/.test(overflowY) && box.scrollHeight > box.clientHeight)
    );
  };
  const stops = "a[href], button, input, select, textarea, summary, [tabindex='0']";
  const native = "a, button, input, select, textarea, summary";
  const named = (box) => box.role && (box.ariaLabel || box.getAttribute("aria-labelledby"));

  return {
    undrawnDiagrams: all(".mermaid-drawing").filter((box) => !drawn("svg")(box)).map(start),
    undrawnFormulas: all("article .math").filter((box) => !drawn(".katex-html")(box)).map(start),
    formulaErrors: all(".katex-error, .math-error").map(start),
    formulaSources: all("article :is(p, li, td, th, dd, figcaption, h1, h2, h3, h4)")
      .map(withoutCode)
      .filter((text) => formulaSource.test(text)),
    undrawnImages: [...document.images].filter((image) => !image.naturalWidth).map(start),
    wordlessImages: [
      ...[...document.images].filter((image) => !image.alt.trim()),
      ...all("svg[role=img]").filter((image) => !image.ariaLabel?.trim()),
      ...all("svg:not([role=img], [aria-hidden=true], .katex svg, button svg)"),
    ].map(start),
    undrawnIcons: all(".fa-solid")
      .filter((icon) => icon.checkVisibility())
      .filter((icon) => getComputedStyle(icon, "::before").content === "none")
      .map(start),
    unreachableBoxes: all("body *")
      .filter((box) => scrolls(box) && box.checkVisibility())
      .filter((box) => !box.matches(stops) && !box.querySelector(stops))
      .map(start),
    namelessStops: all("[tabindex='0']")
      .filter((stop) => !stop.matches(native) && !named(stop))
      .map(start),
    sideways: [document.documentElement]
      .filter((page) => page.scrollWidth > page.clientWidth)
      .map((page) => `${page.scrollWidth} px in ${page.clientWidth} px`),
  };
}
