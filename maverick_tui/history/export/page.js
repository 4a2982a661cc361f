"use strict";
(() => {
  const root = document.documentElement, bar = document.querySelector("nav"), field = bar.querySelector("input");
  const count = bar.querySelector("output"), button = (name) => bar.querySelector(`[data-do=${name}]`);
  const BLOCKS = "p,pre,li,td,th,h1,h2,h3,h4,h5,h6,summary,dd,dt,blockquote";
  const MOST = 5000;
  let texts = null, found = [], current = -1, waiting = 0;

  // Text by block, so that a match may go over the borders of coloured words; a page is read once.
  const read = () => {
    const all = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT, {
      acceptNode: (node) => node.parentElement.closest("nav,script") ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
    });
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const block = node.parentElement.closest(BLOCKS) || node.parentElement;
      let last = all[all.length - 1];
      if (!last || last.block !== block) all.push(last = { block, nodes: [], starts: [], text: "" });
      last.nodes.push(node);
      last.starts.push(last.text.length);
      last.text += node.data;
    }
    for (const one of all) {
      const lower = one.text.toLowerCase();
      one.lower = lower.length === one.text.length ? lower : one.text;
    }
    return all;
  };

  const place = (block, at) => {
    let low = 0, high = block.starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (block.starts[middle] <= at) low = middle; else high = middle - 1;
    }
    return [block.nodes[low], at - block.starts[low]];
  };

  const paint = (name, ranges) => {
    if (!window.Highlight || !CSS.highlights) return false;
    CSS.highlights.set(name, new Highlight(...ranges));
    return true;
  };

  const search = () => {
    const wanted = field.value.trim().toLowerCase();
    found = [];
    current = -1;
    if (wanted) {
      texts = texts || read();
      for (const block of texts) {
        for (let at = block.lower.indexOf(wanted); at >= 0 && found.length < MOST; at = block.lower.indexOf(wanted, at + wanted.length)) {
          const range = document.createRange();
          range.setStart(...place(block, at));
          const [node, offset] = place(block, at + wanted.length - 1);
          range.setEnd(node, offset + 1);
          found.push(range);
        }
      }
    }
    paint("found", found);
    if (found.length) go(1); else { paint("current", []); tell(); }
  };

  const tell = () => {
    const total = found.length === MOST ? `${MOST}+` : found.length;
    count.value = !field.value.trim() ? "" : found.length ? `${current + 1} of ${total}` : "no match";
  };

  // The match itself and not its element, which may be a thousand lines in a box of their own.
  const show = (range, box) => {
    if (box) {
      const inner = box.getBoundingClientRect(), match = range.getBoundingClientRect();
      box.scrollTop += match.top - inner.top - inner.height / 2;
      if (match.left < inner.left || match.right > inner.right) box.scrollLeft += match.left - inner.left - inner.width / 2;
    }
    const match = range.getBoundingClientRect();
    scrollBy({ top: match.top - innerHeight / 2, behavior: "instant" });
  };

  const go = (step) => {
    if (!found.length) return;
    current = (current + step + found.length) % found.length;
    const range = found[current];
    const shown = range.startContainer.parentElement;
    for (let fold = shown.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    if (!paint("current", [range])) {
      const selection = getSelection();
      selection.removeAllRanges();
      selection.addRange(range);
    }
    show(range, shown.closest("pre,table"));
    tell();
  };

  const fold = () => {
    const open = button("fold").getAttribute("aria-pressed") !== "true";
    for (const one of document.querySelectorAll("details")) one.open = open;
    button("fold").setAttribute("aria-pressed", open);
    button("fold").textContent = open ? "Fold all" : "Unfold all";
  };

  const dress = (theme) => {
    if (theme === "auto") delete root.dataset.theme; else root.dataset.theme = theme;
    button("theme").textContent = `Theme: ${theme}`;
    try { localStorage.setItem("maverick-theme", theme); } catch { /* a page from a file may have no storage */ }
  };
  const THEMES = ["auto", "dark", "light"];

  button("next").onclick = () => go(1);
  button("previous").onclick = () => go(-1);
  button("fold").onclick = fold;
  button("theme").onclick = () => dress(THEMES[(THEMES.indexOf(root.dataset.theme || "auto") + 1) % 3]);
  field.oninput = () => { clearTimeout(waiting); waiting = setTimeout(search, 120); };
  field.onkeydown = (event) => {
    if (event.key === "Enter") { event.preventDefault(); go(event.shiftKey ? -1 : 1); }
    if (event.key === "Escape") { field.value = ""; search(); field.blur(); }
  };
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== field) { event.preventDefault(); field.focus(); field.select(); }
  });

  let kept = "auto";
  try { kept = localStorage.getItem("maverick-theme") || "auto"; } catch { /* likewise */ }
  dress(THEMES.includes(kept) ? kept : "auto");
  bar.hidden = false;
})();
