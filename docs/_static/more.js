// a box that scrolls shows on which side there is more of it
{
  const BOXES = "article :is(.math-scroll, .pst-scrollable-table-container, pre)";

  // a formula may be a pixel wider than its box, and the edge of a box hides nothing
  const hides = (distance, padding) => distance > parseFloat(padding) + 3;

  const look = (box) => {
    const left = box.scrollLeft;
    const { paddingLeft, paddingRight } = getComputedStyle(box);
    box.classList.toggle("more-left", hides(left, paddingLeft));
    box.classList.toggle("more-right", hides(box.scrollWidth - box.clientWidth - left, paddingRight));
  };

  // a box is measured when it comes into view: all of them at once would hold up the page
  const inView = new Set();
  const observer = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      inView[isIntersecting ? "add" : "delete"](target);
      if (isIntersecting) look(target);
    }
  });
  const boxes = document.querySelectorAll(BOXES);
  for (const box of boxes) {
    observer.observe(box);
    box.addEventListener("scroll", () => look(box), { passive: true });
  }
  addEventListener("resize", () => boxes.forEach(look));
  // a formula is as wide as its letters, which may come late
  document.fonts.addEventListener("loadingdone", () => inView.forEach(look));
}
