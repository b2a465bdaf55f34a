// text that no scrolling brings into sight: it ends outside of a box that cuts off what is outside
() => {
  const SLACK = 1;
  const start = (node) => {
    const holder = node.nodeType === Node.TEXT_NODE ? node.parentElement : node;
    return `${node.textContent.trim().slice(0, 60)} in ${holder.outerHTML.slice(0, 100)}`;
  };
  // for ears alone: a box of one pixel, in which nothing is meant to be seen
  const forEars = (box) => box.clientWidth <= 1 || box.clientHeight <= 1;

  // the sides on which a box hides what is outside of it, and those on which it scrolls
  const styles = new Map();
  const sides = (box) => {
    if (!styles.has(box)) {
      const style = getComputedStyle(box);
      const inSvg = box instanceof SVGElement;
      styles.set(box, {
        inline: style.display === "inline" && !inSvg,
        // only a drawing as a whole cuts off, and it never scrolls
        x: inSvg ? (box.matches("svg") ? style.overflowX : "visible") : style.overflowX,
        y: inSvg ? (box.matches("svg") ? style.overflowY : "visible") : style.overflowY,
      });
    }
    return styles.get(box);
  };
  const cuts = (overflow) => overflow === "hidden" || overflow === "clip";
  const scrolls = (overflow) => overflow === "auto" || overflow === "scroll";

  const cutOff = (node, rect) => {
    const open = { x: true, y: true };
    for (let box = node.parentElement; box && box !== document.body; box = box.parentElement) {
      const side = sides(box);
      if (side.inline) continue;
      if (cuts(side.x) || cuts(side.y)) {
        if (forEars(box)) return false;
        const edge = box.getBoundingClientRect();
        const outsideX = rect.left < edge.left - SLACK || rect.right > edge.right + SLACK;
        const outsideY = rect.top < edge.top - SLACK || rect.bottom > edge.bottom + SLACK;
        if (open.x && cuts(side.x) && outsideX) return true;
        if (open.y && cuts(side.y) && outsideY) return true;
      }
      open.x &&= !scrolls(side.x);
      open.y &&= !scrolls(side.y);
    }
    // the page itself scrolls down, and is not meant to scroll sideways
    return open.x && (rect.left < -SLACK || rect.right > document.documentElement.clientWidth + SLACK);
  };

  const cut = [];
  const range = document.createRange();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (!node.textContent.trim()) continue;
    if (!node.parentElement.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    range.selectNodeContents(node);
    const rects = [...range.getClientRects()].filter(({ width, height }) => width && height);
    if (rects.some((rect) => cutOff(node, rect))) cut.push(start(node));
  }

  // words of a diagram that stick out of the shape that they stand in
  const sticksOut = (inner, outer) =>
    inner.left < outer.left - SLACK ||
    inner.right > outer.right + SLACK ||
    inner.top < outer.top - SLACK ||
    inner.bottom > outer.bottom + SLACK;
  const shape = ":scope > :is(rect, polygon, circle, ellipse, path)";
  for (const group of document.querySelectorAll(".mermaid-drawing g")) {
    const outline = group.querySelector(shape);
    const label = group.querySelector(":scope > :is(.label, text), :scope > .cluster-label");
    if (!outline || !label?.textContent.trim()) continue;
    if (sticksOut(label.getBoundingClientRect(), outline.getBoundingClientRect())) cut.push(start(label));
  }

  // words of a table that run into the cell beside them
  for (const cell of document.querySelectorAll("td, th")) {
    if (cell.scrollWidth > cell.clientWidth + SLACK) cut.push(start(cell));
  }
  return cut;
};
