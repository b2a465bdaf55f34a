// What runs inside the page that draws: Mermaid's SVG in, one clean self-contained SVG out.
// Python calls the three functions named on `window` at the end of this file.

const REFERENCES = ['href', 'xlink:href'];
const PAINTED = 'path, rect, circle, ellipse, line, polygon, polyline, text, tspan';
const GEOMETRY = ['viewBox', 'd', 'points', 'transform', 'x', 'y', 'x1', 'y1', 'x2', 'y2', 'dx', 'dy',
  'cx', 'cy', 'r', 'rx', 'ry', 'width', 'height'];
const COLOUR = /#[0-9a-f]{3,8}\b|(?:rgb|hsl)a?\([^)]*\)/gi;

// ── fonts ────────────────────────────────────────────────────────────────────────────────────

// a browser never says which font it used: a name it does not know falls through to the generic
// family behind it, and draws as if it had not been named
function hasLatinFont(name) {
  const context = document.createElement('canvas').getContext('2d');
  const width = (family) => {
    context.font = `40px ${family}`;
    return context.measureText('mmmiiiWWW').width;
  };
  const named = ['monospace', 'serif'].map((generic) => width(`'${name}', ${generic}`));
  return named[0] === named[1] && (named[0] !== width('monospace') || named[1] !== width('serif'));
}

// without a Chinese font every character is drawn as the same empty box
function drawsChinese(family) {
  const picture = (character) => {
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = 48;
    const context = canvas.getContext('2d');
    context.font = `40px ${family}`;
    context.fillText(character, 2, 40);
    return canvas.toDataURL();
  };
  return picture('猫') !== picture('鼠');
}

// ── clean-up ─────────────────────────────────────────────────────────────────────────────────

// equal ids on one page restyle each other, and sequence diagrams emit bare `actor0`, `root-0`
function prefixIds(svg, prefix) {
  const renamed = new Map();
  for (const element of svg.querySelectorAll('[id]')) {
    if (element.id.startsWith(prefix)) continue;
    renamed.set(element.id, `${prefix}-${element.id}`);
    element.id = renamed.get(element.id);
  }
  const rename = (id) => renamed.get(id) ?? id;
  const renameUrls = (text) =>
    text.replace(/url\(["']?#([^)"']+)["']?\)/g, (_, id) => `url(#${rename(id)})`);
  for (const element of svg.querySelectorAll('*')) {
    for (const { name, value } of [...element.attributes]) {
      if (REFERENCES.includes(name)) {
        element.setAttribute(name, value.replace(/^(#?)(.+)$/, (_, hash, id) => hash + rename(id)));
      } else if (value.includes('url(')) {
        element.setAttribute(name, renameUrls(value));
      }
    }
  }
  const style = svg.querySelector('style');
  style.textContent = renameUrls(style.textContent);
}

// Mermaid defines every arrowhead and symbol it knows; few are used
function dropUnusedDefinitions(svg) {
  const text = svg.outerHTML;
  const used = (id) => text.includes(`#${id})`) || text.includes(`#${id}"`);
  for (const element of svg.querySelectorAll('marker[id], symbol[id], filter[id], linearGradient[id]')) {
    if (!used(element.id)) element.remove();
  }
}

// repeated until nothing changes: a group may be empty only once what it held is gone
function dropEmptyElements(svg) {
  const empty = [...svg.querySelectorAll('defs, g, rect, text, tspan')].filter((element) =>
    element.localName === 'rect'
      ? !element.hasAttribute('width')
      : !element.childElementCount && !element.textContent.trim());
  for (const element of empty) element.remove();
  if (empty.length) dropEmptyElements(svg);
}

function dropUnusedRules(svg) {
  const style = svg.querySelector('style');
  const animated = /animation/.test(svg.outerHTML.replace(style.outerHTML, ''));
  style.textContent = [...style.sheet.cssRules]
    .filter((rule) => rule instanceof CSSKeyframesRule
      ? animated
      : svg.matches(rule.selectorText) || svg.querySelector(rule.selectorText))
    .map((rule) => rule.cssText.replace(/\s+/g, ' '))
    .join('\n');
}

// attributes that HTML does not allow on SVG elements, that only Mermaid reads, or that say nothing
function dropNeedlessAttributes(svg) {
  for (const element of svg.querySelectorAll('*')) {
    for (const { name, value } of [...element.attributes]) {
      const invalid = ['name', 'alignment-baseline', 'xml:space'].includes(name);
      const empty = /^[;\s]*$/.test(value);
      if (invalid || empty || name.startsWith('data-')) element.removeAttribute(name);
    }
    const classes = [...element.classList].join(' ');
    if (classes) element.setAttribute('class', classes);
  }
}

// a hundredth of a pixel cannot be seen; the digits behind it are half of the file
function roundNumbers(svg) {
  const round = (text) => text.replace(/-?\d+\.\d{3,}/g, (number) => String(+(+number).toFixed(2)));
  for (const element of [svg, ...svg.querySelectorAll('*')]) {
    for (const name of GEOMETRY) {
      if (element.hasAttribute(name)) element.setAttribute(name, round(element.getAttribute(name)));
    }
  }
}

// ── colours ──────────────────────────────────────────────────────────────────────────────────

function toHex(colour) {
  const channels = colour.match(/^rgba?\((\d+), ?(\d+), ?(\d+)\)$/i)?.slice(1);
  if (channels) return '#' + channels.map((c) => (+c).toString(16).padStart(2, '0')).join('');
  return colour.toLowerCase().replace(/^#(.)(.)(.)$/, '#$1$1$2$2$3$3');
}

// in attributes too: a presentation attribute is parsed as CSS and takes var(), and turning it
// into a style would let it win over rules that it now loses to
function nameColours(svg, palette) {
  const names = new Map(Object.entries(palette).map(([name, hex]) => [hex, name]));
  const replaced = (text) => text.replace(COLOUR, (colour) => {
    const hex = toHex(colour);
    return names.has(hex) ? `var(--mmd-${names.get(hex)}, ${hex})` : colour;
  });
  const style = svg.querySelector('style');
  style.textContent = replaced(style.textContent);
  for (const element of svg.querySelectorAll('[style], [fill], [stroke]')) {
    for (const name of ['style', 'fill', 'stroke']) {
      if (element.hasAttribute(name)) element.setAttribute(name, replaced(element.getAttribute(name)));
    }
  }
}

// every variable is set to one telltale colour; what is still painted in another colour bypasses
// the palette, whatever way it was given: by name, by inheritance, half transparent
function coloursOutsidePalette(svg, palette) {
  const telltale = 'rgb(1, 2, 3)';
  for (const name of Object.keys(palette)) svg.style.setProperty(`--mmd-${name}`, telltale);
  const outside = new Set();
  for (const element of svg.querySelectorAll(PAINTED)) {
    const style = getComputedStyle(element);
    const paints = [style.fill];
    if (parseFloat(style.strokeWidth)) paints.push(style.stroke);
    for (const paint of paints) {
      if (paint !== 'none' && paint !== telltale && !/^rgba\(.*, 0\)$/.test(paint)) outside.add(toHex(paint));
    }
  }
  for (const name of Object.keys(palette)) svg.style.removeProperty(`--mmd-${name}`);
  return [...outside].sort();
}

// Mermaid also writes colours into attributes that its own rules override: nothing is painted with
// them, and nobody should have to find that out again
function dropOverriddenColours(svg) {
  for (const element of svg.querySelectorAll('[fill], [stroke]')) {
    for (const name of ['fill', 'stroke']) {
      if (/^(#|rgb|hsl)/.test(element.getAttribute(name) ?? '')) element.removeAttribute(name);
    }
  }
}

// ── the whole ────────────────────────────────────────────────────────────────────────────────

// one name instead of <title> and <desc>: it needs no ids, and shows no tooltip under the mouse
function describe(svg, alt) {
  svg.removeAttribute('aria-roledescription');
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', alt);
}

function setSize(svg) {
  const [, , width, height] = svg.getAttribute('viewBox').split(/\s+/).map(Number);
  svg.removeAttribute('style');
  svg.setAttribute('width', Math.ceil(width));
  svg.setAttribute('height', Math.ceil(height));
}

async function drawDiagram({ source, id, alt, settings, palette }) {
  mermaid.initialize({ startOnLoad: false, deterministicIDSeed: id, ...settings });
  try {
    await mermaid.parse(source);
  } catch (error) {
    return { error: String(error.message ?? error) };
  }
  const host = document.createElement('div');
  document.body.append(host);
  host.innerHTML = (await mermaid.render(id, source)).svg;
  const svg = host.querySelector('svg');
  describe(svg, alt);
  setSize(svg);
  dropNeedlessAttributes(svg);
  dropEmptyElements(svg);
  roundNumbers(svg);
  prefixIds(svg, id);
  // rules first: one that matches nothing may be all that refers to a definition
  dropUnusedRules(svg);
  dropUnusedDefinitions(svg);
  dropEmptyElements(svg);
  nameColours(svg, palette);
  const outside = coloursOutsidePalette(svg, palette);
  if (!outside.length) dropOverriddenColours(svg);
  if (!svg.getAttribute('style')) svg.removeAttribute('style');
  const text = new XMLSerializer().serializeToString(svg) + '\n';
  host.remove();
  return { svg: text, outside };
}

Object.assign(window, { drawDiagram, hasLatinFont, drawsChinese });
