// a box that scrolls shows on which side there is more of it
{
  const BOXES = "article :is(.math-scroll, .pst-scrollable-table-container, pre)";

  const look = (box) => {
    const left = box.scrollLeft;
    // a formula may be a pixel wider than its box
    box.classList.toggle("more-left", left > 3);
    box.classList.toggle("more-right", box.scrollWidth - box.clientWidth - left > 3);
  };

  // a box is measured when it comes into view: all of them at once would hold up the page
  const observer = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) if (isIntersecting) look(target);
  });
  const boxes = document.querySelectorAll(BOXES);
  for (const box of boxes) {
    observer.observe(box);
    box.addEventListener("scroll", () => look(box), { passive: true });
  }
  addEventListener("resize", () => boxes.forEach(look));
}
