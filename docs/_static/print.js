// paper is white and does not open: the light theme, and every box opened, while one prints
{
  const { dataset } = document.documentElement;
  let theme, closed;
  addEventListener("beforeprint", () => {
    theme = dataset.theme;
    closed = [...document.querySelectorAll("article details:not([open])")];
    dataset.theme = "light";
    for (const box of closed) box.open = true;
  });
  addEventListener("afterprint", () => {
    dataset.theme = theme;
    for (const box of closed) box.open = false;
  });
}
