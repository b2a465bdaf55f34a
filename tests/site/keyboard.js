// looks at every stop of the tab key: whether one sees it, and sees that it has the focus
() => {
  const look = (element) => {
    const style = getComputedStyle(element);
    const outlined = style.outlineStyle !== "none" && style.outlineWidth !== "0px";
    const outline = outlined ? `${style.outlineWidth} ${style.outlineColor}` : "none";
    return [outline, style.boxShadow, style.backgroundColor, style.borderColor].join();
  };
  // a mark may be drawn on a part, as on the arrow of a list that opens
  const looks = (element) => [element, ...element.children].map(look).join("|");
  const inSight = (element) =>
    [...element.getClientRects()].some(({ left, top, right, bottom }) => {
      const [x, y] = [(left + right) / 2, (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2];
      const drawn = document.elementFromPoint(x, y);
      return drawn && (element.contains(drawn) || drawn.contains(element));
    });
  const name = (element) => element.outerHTML.slice(0, 140);

  const stops = "a[href], button, input, select, textarea, summary, [tabindex='0']";
  const unfocused = new Map(
    [...document.querySelectorAll(stops)]
      .filter((stop) => !stop.disabled && stop.tabIndex >= 0)
      .filter((stop) => stop.checkVisibility({ visibilityProperty: true }))
      .map((stop) => [stop, looks(stop)]),
  );
  const met = new Set();
  const faults = [];

  return {
    // after each press of the key; says whether the page has ended, or begins again
    look: async () => {
      // the page scrolls to the stop before it is drawn again
      await new Promise(requestAnimationFrame);
      const stop = document.activeElement;
      if (stop === document.body || met.has(stop)) return true;
      if (!inSight(stop)) faults.push(`out of sight: ${name(stop)}`);
      if (looks(stop) === unfocused.get(stop)) faults.push(`not marked: ${name(stop)}`);
      met.add(stop);
      return false;
    },
    faults: () => {
      const missed = [...unfocused.keys()].filter((stop) => !met.has(stop));
      return [...faults, ...missed.map((stop) => `passed over: ${name(stop)}`)];
    },
  };
};
