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
  const scrollsSideways = (box) =>
    /auto|scroll/.test(getComputedStyle(box).overflowX) && box.scrollWidth > box.clientWidth + 1;

  return {
    undrawnDiagrams: all(".mermaid-drawing").filter((box) => !drawn("svg")(box)).map(start),
    undrawnFormulas: all("article .math").filter((box) => !drawn(".katex-html")(box)).map(start),
    formulaErrors: all(".katex-error, .math-error").map(start),
    formulaSources: all("article :is(p, li, td, th, dd, figcaption, h1, h2, h3, h4)")
      .map(withoutCode)
      .filter((text) => formulaSource.test(text)),
    undrawnImages: [...document.images].filter((image) => !image.naturalWidth).map(start),
    undrawnIcons: all(".fa-solid")
      .filter((icon) => icon.checkVisibility())
      .filter((icon) => getComputedStyle(icon, "::before").content === "none")
      .map(start),
    unreachableBoxes: all("article *")
      .filter((box) => scrollsSideways(box) && box.tabIndex < 0 && !box.querySelector("a, [tabindex]"))
      .map(start),
  };
}
