// runs on the search page, after Sphinx's search is there and before its index is

// Sphinx takes short terms for optional beside longer ones, which pairs of Chinese characters
// always are, and scores a page by its one best term, found once or a hundred times. Here each term
// is looked up alone: a page must have all of them, and its score is their mean, the higher the more
// often they occur, but never so high that a page with a term in its title falls behind.
{
  const findTerms = Search.performTermsSearch;
  const wordly = (term) => (/^[\p{Script=Latin}\p{N}_]/u.test(term) ? String.raw`(?<![\p{L}\p{N}_])` : "");
  const occurrences = (page, term) => {
    const beginning = new RegExp(wordly(term) + _escapeRegExp(term), "giu");
    const passages = Search.passages[page] || [];
    return passages.reduce((sum, [, text]) => sum + (text.match(beginning) || []).length, 0);
  };
  const MOST = Scorer.title - Scorer.term - 1;
  Search.performTermsSearch = (terms, excluded) => {
    const pages = new Map();
    for (const term of terms) {
      for (const result of findTerms(new Set([term]), excluded)) {
        const page = pages.get(result[0]) || { result, found: 0, score: 0 };
        const often = Math.min(MOST, Math.log2(1 + occurrences(result[0], term)));
        page.found += 1;
        page.score += (result[4] + often) / terms.size;
        pages.set(result[0], page);
      }
    }
    return [...pages.values()]
      .filter(({ found }) => found === terms.size)
      .map(({ result, score }) => Object.assign([...result], { 4: score }));
  };
}

// Sphinx finds names by any letters in them: here by how one of their words begins
{
  const findObjects = Search.performObjectSearch;
  Search.performObjectSearch = (name, names) => {
    const beginning = new RegExp(`(?:^|[._])${_escapeRegExp(name)}${name.length < 3 ? "$" : ""}`, "i");
    return findObjects(name, names).filter(([, fullName]) => beginning.test(fullName));
  };
}

// the index holds titles with their formulas in TeX: show what one would write by hand
{
  const plain = (title) => title.replace(/\\sqrt\{([^{}]*)\}/g, "√$1");
  const setIndex = Search.setIndex;
  Search.setIndex = (index) => {
    const { titles, alltitles } = index;
    const plainTitles = Object.entries(alltitles).map(([title, places]) => [plain(title), places]);
    setIndex({ ...index, titles: titles.map(plain), alltitles: Object.fromEntries(plainTitles) });
  };
}

// quote each page from what the build picked of it, instead of fetching all of it
{
  // two lines and a half; a Chinese character is as wide as two Latin ones
  const WIDTH = 240;
  const cut = (text) => {
    const characters = [...text];
    let room = WIDTH;
    const end = characters.findIndex((one) => (room -= one < "\u2e80" ? 1 : 2) < 0);
    // a formula follows what ends without a stop
    if (end < 0) return text.replace(/[:：]$|(?<=[\p{L}\p{N}])$/u, "…");
    // not in the middle of a word
    return characters.slice(0, end).join("").replace(/[\p{Script=Latin}\p{N}_]+$/u, "").trimEnd() + "…";
  };
  const count = (text, terms) => terms.filter((term) => text.toLowerCase().includes(term)).length;
  const most = (texts, terms) => {
    const counts = texts.map((text) => count(text, terms));
    return counts.indexOf(Math.max(...counts));
  };

  // how a section or an entry begins; of a page, the passage with the most of the query, from the
  // sentence on that has the most
  Search.quote = (page, anchor, terms) => {
    const passages = Search.passages[page] || [];
    const beginning = passages.find(([place]) => anchor && place === anchor);
    if (beginning) return cut(beginning[1]);
    const texts = passages.map(([, text]) => text);
    if (!texts.length) return "";
    const sentences = texts[most(texts, terms)].split(/(?<=[.?!] |[。？！；])/u);
    const first = most(sentences, terms);
    return (first > 0 ? "… " : "") + cut(sentences.slice(first).join("").trim());
  };

  DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
  const query = new URLSearchParams(location.search).get("q");
  if (query) {
    const [, terms, , shownTerms] = Search._parseQuery(query);
    const quoteBelow = (result) => {
      const link = result.querySelector("a");
      const [page, anchor] = link.getAttribute("href").split("#");
      const text = Search.quote(
        page.replace(DOCUMENTATION_OPTIONS.LINK_SUFFIX, ""),
        anchor && `#${anchor}`,
        [...terms],
      );
      if (!text) return;
      const quotation = document.createElement("p");
      quotation.className = "context";
      quotation.textContent = text;
      result.append(quotation);
      shownTerms.forEach((term) => _highlightText(quotation, term, "highlighted"));
    };
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes) {
        for (const node of addedNodes) if (node.matches?.("ul.search > li")) quoteBelow(node);
      }
    }).observe(document.getElementById("search-results"), { childList: true, subtree: true });
  }
}
