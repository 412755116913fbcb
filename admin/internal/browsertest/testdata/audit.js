// Looks at the page and returns what is wrong with it, one text each.
(() => {
  const problems = [];
  const say = (text) => { if (problems.length < 40 && !problems.includes(text)) problems.push(text); };
  const all = (selector) => [...document.querySelectorAll(selector)];
  const short = (text) => text.trim().replace(/\s+/g, ' ').slice(0, 40);
  const name = (el) => {
    const id = el.id ? '#' + el.id : '';
    const kind = el.classList.length ? '.' + [...el.classList].join('.') : '';
    return el.tagName.toLowerCase() + id + kind + (el.name ? `[name=${el.name}]` : '') + ` "${short(el.textContent)}"`;
  };
  const shown = (el) => {
    if (!el.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false;
    const box = el.getBoundingClientRect();
    return box.width > 1 && box.height > 1;
  };

  // The frame of the document.
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) {
    const wide = all('body *').filter((el) => shown(el) && el.getBoundingClientRect().right > root.clientWidth + 1);
    say(`scrolls sideways: ${root.scrollWidth} > ${root.clientWidth}, by ${wide.slice(0, 4).map(name).join('; ')}`);
  }
  const headings = all('h1').length;
  if (headings !== 1) say(`${headings} headings h1`);
  if (all('main').length !== 1) say('not exactly one main');
  if (!root.lang) say('no language');
  if (!document.title.trim()) say('no title');
  const ids = new Map();
  for (const el of all('[id]')) ids.set(el.id, (ids.get(el.id) ?? 0) + 1);
  for (const [id, n] of ids) if (n > 1) say(`${n} elements have the id ${id}`);
  for (const el of all('[aria-labelledby], [aria-describedby], label[for]')) {
    const refs = `${el.getAttribute('aria-labelledby') ?? ''} ${el.getAttribute('aria-describedby') ?? ''} ${el.htmlFor ?? ''}`;
    for (const id of refs.split(/\s+/)) if (id && !document.getElementById(id)) say(`${name(el)} refers to #${id}, which is not there`);
  }

  // Nothing that was written into a field is markup.
  if (window.__xss !== undefined) say(`a marker was executed: ${window.__xss}`);
  for (const el of all('.xss')) say(`a marker is an element: ${name(el)}`);
  for (const el of all('*')) {
    for (const a of el.attributes) if (/^on/i.test(a.name)) say(`${name(el)} has the attribute ${a.name}`);
  }
  for (const el of all('a[href], area[href], form[action], use[href], image[href]')) {
    const href = el.getAttribute('href') ?? el.getAttribute('action');
    if (!['http:', 'https:'].includes(new URL(href, location.href).protocol)) say(`${name(el)} leads to ${short(href)}`);
  }

  // A strip of runs is one stop of the tabulator.
  for (const strip of all('.chart-strip svg:has(a)')) {
    const stops = [...strip.querySelectorAll('a')].filter((a) => a.tabIndex === 0).length;
    if (stops !== 1) say(`${stops} stops of the tabulator in ${name(strip.parentElement)}`);
  }

  // Names.
  const text = (el) => {
    if (el.getAttribute('aria-hidden') === 'true') return '';
    let s = '';
    for (const child of el.childNodes) {
      if (child.nodeType === Node.TEXT_NODE) s += child.data;
      else if (child.nodeName === 'IMG') s += child.alt;
      else if (child.nodeType === Node.ELEMENT_NODE) s += child.getAttribute('aria-label') ?? text(child);
    }
    return s;
  };
  const labelled = (el) => {
    const by = (el.getAttribute('aria-labelledby') ?? '').split(/\s+/).map((id) => document.getElementById(id)?.textContent ?? '');
    return (el.getAttribute('aria-label') ?? '').trim() || by.join('').trim() || (el.title ?? '').toString().trim();
  };
  for (const el of all('input:not([type=hidden]), select, textarea')) {
    if (!labelled(el) && ![...(el.labels ?? [])].some((l) => text(l).trim())) say(`no label: ${name(el)}`);
  }
  for (const el of all('button, summary, [role=button], a[href]')) {
    if (!labelled(el) && !text(el).trim()) say(`no name: ${name(el)} ${el.getAttribute('href') ?? ''}`);
  }
  for (const el of all('img')) if (!el.hasAttribute('alt')) say(`no alt: ${name(el)}`);
  for (const el of all('svg:not(svg svg)')) {
    const hidden = el.closest('[aria-hidden=true]');
    if (!hidden && !labelled(el) && !el.querySelector(':scope > title')) say(`a picture without a name: ${name(el)}`);
  }
  for (const el of all('[tabindex]')) if (el.tabIndex > 0) say(`tabindex ${el.tabIndex}: ${name(el)}`);
  for (const el of all('th')) if (!labelled(el) && !text(el).trim() && !el.querySelector('input')) say(`a column without a name: ${name(el.closest('table'))}`);

  // Contrast of every visible text, at least 4.5:1.
  const brush = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d', { willReadFrequently: true });
  const known = new Map();
  const colour = (css) => {
    if (!known.has(css)) {
      brush.clearRect(0, 0, 1, 1);
      brush.fillStyle = css;
      brush.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = brush.getImageData(0, 0, 1, 1).data;
      known.set(css, [r, g, b, a / 255]);
    }
    return known.get(css);
  };
  const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1];
  const grounds = new Map();
  const ground = (el) => {
    if (!el) return colour(getComputedStyle(root).colorScheme.includes('dark') && !getComputedStyle(root).colorScheme.includes('light') ? '#121212' : '#fff');
    if (!grounds.has(el)) {
      const own = el instanceof SVGElement && !(el instanceof SVGSVGElement) ? [0, 0, 0, 0] : colour(getComputedStyle(el).backgroundColor);
      grounds.set(el, own[3] === 1 ? own : over(own, ground(el.parentElement)));
    }
    return grounds.get(el);
  };
  const light = ([r, g, b]) => {
    const [R, G, B] = [r, g, b].map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * R + 0.7152 * G + 0.0722 * B;
  };
  const contrast = (el, ink, what) => {
    let opacity = 1;
    for (let e = el; e; e = e.parentElement) opacity *= Number(getComputedStyle(e).opacity);
    let behind = ground(el);
    if (el instanceof SVGElement) { // what was drawn last below the middle of the text
      const own = el.getBoundingClientRect();
      const [x, y] = [own.x + own.width / 2, own.y + own.height / 2];
      for (const shape of el.ownerSVGElement.querySelectorAll('rect, circle, ellipse')) {
        if (shape.compareDocumentPosition(el) !== Node.DOCUMENT_POSITION_FOLLOWING) break;
        const box = shape.getBoundingClientRect();
        if (x < box.left || x > box.right || y < box.top || y > box.bottom) continue;
        const style = getComputedStyle(shape);
        const [r, g, b, a] = style.fill === 'none' ? [0, 0, 0, 0] : colour(style.fill);
        behind = over([r, g, b, a * Number(style.fillOpacity) * Number(style.opacity)], behind);
      }
    }
    const front = over([ink[0], ink[1], ink[2], ink[3] * opacity], behind);
    const [a, b] = [light(front), light(behind)];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.495) say(`contrast ${ratio.toFixed(2)} of ${what} ${name(el)}: ${front.map(Math.round).slice(0, 3)} on ${behind.map(Math.round).slice(0, 3)}`);
  };
  const seen = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const el = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || seen.has(el)) continue;
    seen.add(el);
    if (el.closest('script, style, noscript, option, datalist, title, desc, :disabled, [aria-disabled=true], [inert]') || !shown(el)) continue;
    const style = getComputedStyle(el);
    contrast(el, colour(el instanceof SVGElement ? style.fill : style.color), 'text');
  }
  for (const el of all('input, select, textarea')) {
    if (!shown(el) || el.disabled || ['checkbox', 'radio', 'hidden'].includes(el.type)) continue;
    contrast(el, colour(getComputedStyle(el).color), 'value');
    if (el.placeholder && !el.value) contrast(el, colour(getComputedStyle(el, '::placeholder').color), 'placeholder');
  }
  return problems;
})()
