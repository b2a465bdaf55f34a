// the switch leads to the same place of the page: both editions use the same anchors
const follow = () => {
  for (const link of document.querySelectorAll(".edition-switch a")) link.hash = location.hash;
};
addEventListener("hashchange", follow);
follow();
