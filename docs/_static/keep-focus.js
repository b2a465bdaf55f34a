// the theme takes the focus from its buttons when they are pressed, so that tooltips go away; who
// pressed a key goes on from there
for (const button of document.querySelectorAll(".sidebar-toggle, .search-button, .theme-switch-button")) {
  button.addEventListener("click", ({ detail: byMouse }) => byMouse || button.focus());
}

// a browser lets a link be that shows a sliver at the edge of a box that scrolls
document.addEventListener("focusin", ({ target }) => {
  if (target.matches(":focus-visible")) target.scrollIntoView({ block: "nearest", inline: "nearest" });
});
