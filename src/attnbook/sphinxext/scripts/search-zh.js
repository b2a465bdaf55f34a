// the reader's side of the Chinese search: cuts a query as search.py cuts the pages
var splitQuery = (query) => {
  const han = String.raw`[々〇\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u{20000}-\u{3ffff}]`;
  const runs = query.match(new RegExp(String.raw`${han}+|(?:(?!${han})[\p{L}\p{N}_])+`, "gu"));
  const startsHan = new RegExp(`^${han}`, "u");
  return (runs || []).flatMap((run) => {
    const characters = Array.from(run);
    if (!startsHan.test(run) || characters.length === 1) return [run];
    return characters.slice(1).map((character, i) => characters[i] + character);
  });
};
