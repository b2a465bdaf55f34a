// beside a link to an equation, a figure, a table or a term stands what it leads to, for the mouse
// that rests on it and for the key that reached it
{
  const KINDS = ["equation-", "fig-", "tab-", "term-"];
  const LINKS = `article a.internal:is(${KINDS.map((kind) => `[href*="#${kind}"]`)})`;
  const BOX =
    '<div class="popover preview" role="tooltip"><div class="popover-arrow"></div><div class="popover-body"></div></div>';
  const OFF_THE_EDGE = { name: "preventOverflow", options: { padding: 8 } };
  // milliseconds: a mouse on its way elsewhere opens nothing, and one on its way into the box loses nothing
  const [BEFORE, AFTER] = [300, 200];
  // a narrow window, a phone's for one, has no room for it
  const roomy = matchMedia("(min-width: 768px)");
  const pages = new Map();
  let wanted, popover, timer;

  const fetchPage = async (path) => {
    const answer = await fetch(path);
    return new DOMParser().parseFromString(answer.ok ? await answer.text() : "", "text/html");
  };

  const pageOf = ({ pathname }) => {
    if (pathname === location.pathname) return document;
    // from disk a browser fetches nothing
    if (location.protocol === "file:") return undefined;
    if (!pages.has(pathname)) pages.set(pathname, fetchPage(pathname));
    return pages.get(pathname);
  };

  const isInView = (element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  };

  const copyTarget = async (link) => {
    const page = await pageOf(link);
    let target = page?.getElementById(decodeURIComponent(link.hash.slice(1)));
    // terms that mean the same share a definition
    while (target?.matches("dt")) target = target.nextElementSibling;
    if (!target || (page === document && isInView(target))) return undefined;
    const box = document.createElement("div");
    if (target.matches("dd")) box.append(...document.importNode(target, true).childNodes);
    else box.append(document.importNode(target, true));
    for (const mark of box.querySelectorAll(".headerlink")) mark.remove();
    for (const inner of box.querySelectorAll("a")) inner.replaceWith(...inner.childNodes);
    for (const image of box.querySelectorAll("img")) image.src = new URL(image.getAttribute("src"), link.href);
    for (const part of box.querySelectorAll("[tabindex]")) part.removeAttribute("tabindex");
    if (page === document) for (const part of box.querySelectorAll("[id]")) part.removeAttribute("id");
    return box;
  };

  const hide = () => {
    clearTimeout(timer);
    popover?.dispose();
    wanted = popover = undefined;
  };

  const show = async (link) => {
    const content = await copyTarget(link).catch(() => undefined);
    if (!content || link !== wanted) return;
    const container = link.closest("article");
    popover = new bootstrap.Popover(link, {
      animation: false,
      container,
      content,
      html: true,
      placement: "bottom",
      sanitize: false,
      template: BOX,
      trigger: "manual",
      popperConfig: (config) => ({ ...config, modifiers: [...config.modifiers, OFF_THE_EDGE] }),
    });
    popover.show();
    const body = container.querySelector(".preview .popover-body");
    body.classList.toggle("cut", body.scrollHeight > body.clientHeight);
  };

  const want = (link) => {
    if (link === wanted) {
      // what is open stays, what is on its way still comes
      if (popover) clearTimeout(timer);
      return;
    }
    hide();
    wanted = link;
    timer = setTimeout(show, BEFORE, link);
  };

  const leave = () => {
    if (!popover) return hide();
    clearTimeout(timer);
    timer = setTimeout(hide, AFTER);
  };

  addEventListener("pointerover", ({ target, pointerType }) => {
    if (pointerType !== "mouse") return;
    const link = roomy.matches && target.closest(LINKS);
    if (link) want(link);
    else if (target.closest(".preview")) clearTimeout(timer);
    // what the keyboard opened stays while the focus does
    else if (wanted && !wanted.matches(":focus-visible")) leave();
  });
  addEventListener("focusin", ({ target }) => {
    if (roomy.matches && target.matches(LINKS) && target.matches(":focus-visible")) want(target);
    else hide();
  });
  addEventListener("keydown", ({ key }) => key === "Escape" && hide());
  addEventListener("click", hide);
  addEventListener("beforeprint", hide);
}
