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
  const observer = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) if (isIntersecting) look(target);
  });
  const boxes = document.querySelectorAll(BOXES);
  // an observer that begins anew says what is in view
  const observe = () => {
    observer.disconnect();
    for (const box of boxes) observer.observe(box);
  };
  observe();
  for (const box of boxes) box.addEventListener("scroll", () => look(box), { passive: true });
  addEventListener("resize", () => boxes.forEach(look));
  // a formula is as wide as its letters, which may come late
  document.fonts.addEventListener("loadingdone", observe);
}
