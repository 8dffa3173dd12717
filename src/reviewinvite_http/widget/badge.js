/* reviewinvite: draws a shop's badge behind its script tag, on the shop's own pages. It sends, stores and counts
   nothing, and fails silently. Nodes are built one by one and styles come as a constructed sheet, which strict policies
   allow. No syntax newer than ES2015, because an older browser would report syntax errors to the page. */
(function (badge) {
  "use strict";

  const NAME = "reviewinvite-badge";
  const SVG = "http://www.w3.org/2000/svg";
  const LOOK_AGAIN = 50; // milliseconds: a page that changes constantly must not be slowed down by a check for each change
  const STAR = "M12 1.6l3.2 6.6 7.2 1-5.2 5.1 1.2 7.2L12 18.1l-6.4 3.4 1.2-7.2L1.6 9.2l7.2-1z";
  const SHIELD = "M12 1l9 3.5v6.2c0 5.6-3.8 10-9 12.3-5.2-2.3-9-6.7-9-12.3V4.5z";
  const CHECK = "M7.6 12l3.1 3.2 5.8-6.4";

  const LIGHT = `
    --ground: #ffffff; --text: #14181f; --quiet: #5a6372; --line: #868fa0;
    --star: #f5a524; --edge: #b07200; --empty: #dfe3ea; --mark: #0f7b3f; --check: #ffffff; --ring: #2456e6; --gap: #ffffff;`;
  const DARK = `
    --ground: #191d25; --text: #eceff4; --quiet: #9aa4b5; --line: #697386;
    --star: #f5b13d; --edge: #f5b13d; --empty: #3a4150; --mark: #6ee2a0; --check: #12301f; --ring: #8fb0ff; --gap: #191d25;`;

  // `!important` rules inside the shadow root win over all rules of the page for the host element. All sizes are in
  // pixels, because the page's root font may have any size. All languages of a badge run from left to right.
  const STYLE = `
    :host {
      all: initial !important; display: inline-block !important; max-inline-size: 100% !important;
      vertical-align: middle !important;
      direction: ltr !important; unicode-bidi: isolate !important;
    }
    :host::before, :host::after { content: none !important; }
    a {
      ${LIGHT}
      display: inline-flex; flex-wrap: wrap; align-items: center; gap: 4px 10px; box-sizing: border-box;
      max-inline-size: 100%; min-block-size: 24px; padding: 8px 14px; border: 1px solid var(--line); border-radius: 8px;
      background: var(--ground); color: var(--text); color-scheme: light; text-align: left; text-decoration: none;
      font: 14px/1.35 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
      overflow-wrap: anywhere;
    }
    a.dark { ${DARK} color-scheme: dark; }
    @media (prefers-color-scheme: dark) { a.auto { ${DARK} color-scheme: dark; } }
    a:hover .words { text-decoration: underline; }
    a:focus-visible { outline: 3px solid var(--ring); outline-offset: 2px; box-shadow: 0 0 0 7px var(--gap); }
    svg { flex: none; display: block; }
    .mark { inline-size: 34px; block-size: 34px; margin-inline-start: -4px; }
    .shield { fill: var(--mark); }
    .check { fill: none; stroke: var(--check); stroke-width: 2.6; stroke-linecap: round; stroke-linejoin: round; }
    .stars { inline-size: 85px; block-size: 17px; max-inline-size: 100%; }
    .empty { fill: var(--empty); }
    .full { fill: var(--star); stroke: var(--edge); stroke-width: 0.8; stroke-linejoin: round; }
    .facts { display: flex; flex: 1 1 120px; flex-direction: column; gap: 1px; min-inline-size: 0; }
    .score { display: flex; flex-wrap: wrap; align-items: center; column-gap: 7px; }
    .mean { font-size: 18px; font-weight: 700; line-height: 1.2; }
    .words { display: flex; flex-wrap: wrap; column-gap: 10px; color: var(--quiet); }
    .label { color: var(--text); font-weight: 600; }
    .issuer {
      max-inline-size: 24ch; overflow: hidden; color: var(--quiet); font-size: 12px; text-overflow: ellipsis;
      white-space: nowrap;
    }
    .small { column-gap: 6px; padding: 4px 9px; border-radius: 6px; font-size: 13px; }
    .small .mark { inline-size: 18px; block-size: 18px; margin-inline-start: -2px; }
    .small .stars { inline-size: 65px; block-size: 13px; }
    .small .mean { font-size: 13px; }
    .small .label, .small .issuer { display: none; }
    .small .facts { flex-basis: 60px; flex-direction: row; flex-wrap: wrap; align-items: center; column-gap: 7px; }
    .large { column-gap: 14px; padding: 13px 20px; border-radius: 10px; font-size: 17px; }
    .large .mark { inline-size: 50px; block-size: 50px; }
    .large .stars { inline-size: 120px; block-size: 24px; }
    .large .mean { font-size: 25px; }
    .large .issuer { font-size: 15px; }
    @media (forced-colors: active) {
      .shield, .full { fill: LinkText; stroke: none; }
      .check { stroke: Canvas; }
      .empty { fill: none; stroke: LinkText; }
    }
    @media print {
      a.dark, a.auto, a { ${LIGHT} color-scheme: light; }
    }`;

  function element(name, className, text) {
    const made = document.createElement(name);
    made.className = className;
    made.textContent = text || "";
    return made;
  }

  function shape(name, attributes, parent) {
    const made = document.createElementNS(SVG, name);
    Object.keys(attributes).forEach((key) => made.setAttribute(key, attributes[key]));
    parent.appendChild(made);
    return made;
  }

  function drawMark(parent) {
    const mark = shape("svg", { class: "mark", viewBox: "0 0 24 24", "aria-hidden": "true" }, parent);
    shape("path", { class: "shield", d: SHIELD }, mark);
    shape("path", { class: "check", d: CHECK }, mark);
  }

  function drawStars(hundredths, parent) {
    const stars = shape("svg", { class: "stars", viewBox: "0 0 120 24", "aria-hidden": "true" }, parent);
    const full = { width: (hundredths * 120) / 500, height: 24 }; // an inner svg clips its content
    [["empty", stars], ["full", null]].forEach((layer) => {
      const into = layer[1] || shape("svg", full, stars);
      for (let place = 0; place < 5; place++) {
        shape("path", { class: layer[0], d: STAR, transform: "translate(" + 24 * place + " 0)" }, into);
      }
    });
  }

  function inHundredths() {
    const mean = /^([1-5])\.(\d\d)$/.exec(badge.mean);
    return mean && badge.count > 0 ? Math.min(500, Number(mean[1] + mean[2])) : null;
  }

  function drawLink() {
    const link = element("a", [badge.size, badge.theme].join(" "));
    link.lang = badge.language;
    link.href = badge.link;
    link.target = "_blank"; // visitors about to buy something keep the page open
    link.rel = "noopener noreferrer nofollow"; // a badge is not a recommendation, and its page stays private
    const facts = element("span", "facts");
    const lines = element("span", "words");
    if (badge.status === "trusted") {
      drawMark(link);
      lines.appendChild(element("span", "label", badge.words.mark));
    }
    const hundredths = inHundredths();
    if (hundredths) {
      const score = element("span", "score");
      score.appendChild(element("span", "mean", badge.words.mean));
      drawStars(hundredths, score);
      facts.appendChild(score);
    }
    lines.appendChild(element("span", "count", badge.words.count));
    facts.appendChild(lines);
    facts.appendChild(element("span", "issuer", badge.words.issuer));
    link.appendChild(facts);
    link.title = badge.words.title;
    link.setAttribute("aria-label", badge.words.label); // the visible content in words
    return link;
  }

  function drawBadge() {
    const host = document.createElement(NAME);
    const root = host.attachShadow({ mode: "closed" });
    if (!("adoptedStyleSheets" in root)) {
      return null; // policies forbid a style element, and the console would report it
    }
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    root.adoptedStyleSheets = [sheet];
    root.appendChild(drawLink());
    return host;
  }

  function isOwn(host) {
    const here = location.hostname.replace(/\.$/, ""); // "shop.nl." is the same host
    return here === host || here === "www." + host;
  }

  function isSeen(tag) {
    return Boolean(document.body) && document.body.contains(tag);
  }

  // Returns the tag that runs this script. If it is unknown (a module, or a library that loads scripts itself) or cannot
  // be seen, returns all tags that name the script: a module runs once for all its tags.
  function tagsToServe(hosts) {
    const selector = 'script[src*="/w/' + badge.siteId + '.js"]';
    const running = document.currentScript;
    const own = running instanceof HTMLScriptElement && running.src ? [running] : [];
    if (own.length && isSeen(running) && running.matches(selector)) {
      return own;
    }
    const named = Array.from(document.querySelectorAll(selector)).filter((tag) => isSeen(tag) && !hosts.has(tag));
    return named.length ? named : own;
  }

  // Puts the badge behind its tag.
  function place(tag, host) {
    const next = tag.nextElementSibling;
    if (next === host) {
      return;
    }
    if (!isSeen(tag)) {
      host.remove();
      return;
    }
    if (next && next.localName === NAME) {
      next.remove(); // an empty copy, from a page that was copied with its badge; other badges restore themselves
    }
    tag.after(host);
  }

  // Moves the badge with its tag. A tag that the page has dropped can be collected.
  function follow(reference, hosts) {
    let isWaiting = false;

    function look() {
      isWaiting = false;
      const tag = reference.deref();
      if (!tag) {
        observer.disconnect();
        return;
      }
      try {
        place(tag, hosts.get(tag));
      } catch (ignored) {
        // the page must not notice
      }
    }

    const observer = new MutationObserver(() => {
      if (!isWaiting) {
        isWaiting = true;
        setTimeout(look, LOOK_AGAIN);
      }
    });
    observer.observe(document, { childList: true, subtree: true });
  }

  try {
    const isDrawn = badge.status === "trusted" || badge.status === "unverified";
    if (isDrawn && badge.hosts.some(isOwn)) {
      const name = Symbol.for("reviewinvite.badges"); // on the document, out of reach of name clashes with the page's scripts
      const hosts = document[name] || (document[name] = new WeakMap()); // the host element of each tag
      tagsToServe(hosts).forEach((tag) => {
        const host = hosts.has(tag) ? null : drawBadge();
        if (host) {
          hosts.set(tag, host);
          place(tag, host);
          follow(new WeakRef(tag), hosts);
        }
      });
    }
  } catch (ignored) {
    // the page must not notice
  }
})(BADGE);
