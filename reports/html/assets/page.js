'use strict';
// What a page can do beyond being read: switch the theme, tell about the step under the pointer, and
// sort and filter tables. All numbers are in the page already; nothing is computed here.
(() => {
  const root = document.documentElement;

  function setUpTheme() {
    const button = document.getElementById('theme');
    const kept = () => { try { return localStorage.getItem('stepscope-theme'); } catch { return null; } };
    const keep = (theme) => { try { localStorage.setItem('stepscope-theme', theme); } catch { /* a file's page may keep nothing */ } };
    const show = (theme) => {
      if (theme === 'auto') delete root.dataset.theme; else root.dataset.theme = theme;
      button.textContent = `Theme: ${theme}`;
      return theme;
    };
    const order = ['auto', 'light', 'dark'];
    let theme = show(order.includes(kept()) ? kept() : 'auto');
    button.hidden = false;
    button.addEventListener('click', () => {
      theme = show(order[(order.indexOf(theme) + 1) % order.length]);
      keep(theme);
    });
  }

  // The words are the picture's own titles, which the browser would show late or not at all.
  function setUpStrip(strip) {
    const readout = strip.closest('section').querySelector('.readout');
    const caption = readout.textContent;
    const bars = [...strip.querySelectorAll('.hover rect')];
    const words = bars.map((bar) => {
      const title = bar.querySelector('title');
      title.remove();
      return title.textContent;
    });
    let at = -1;
    const tell = (index) => {
      if (at >= 0) bars[at].classList.remove('at');
      at = index;
      if (at >= 0) bars[at].classList.add('at');
      readout.textContent = at >= 0 ? words[at] : caption;
    };
    strip.addEventListener('pointermove', (event) => tell(bars.indexOf(event.target)));
    strip.addEventListener('pointerdown', (event) => tell(bars.indexOf(event.target)));
    strip.addEventListener('pointerleave', (event) => { if (event.pointerType === 'mouse') tell(-1); });
    strip.addEventListener('blur', () => tell(-1));
    strip.addEventListener('keydown', (event) => {
      const move = { ArrowLeft: -1, ArrowRight: 1, Home: -bars.length, End: bars.length }[event.key];
      if (move === undefined) return;
      event.preventDefault();
      tell(Math.max(0, Math.min(bars.length - 1, at + move)));
    });
  }

  const valueOf = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v);
  };

  function sortBy(table, heading) {
    const column = heading.cellIndex;
    const isNumber = heading.classList.contains('n');
    const old = heading.getAttribute('aria-sort');
    const descends = old ? old === 'ascending' : isNumber;  // the largest number, or "a", first
    const rows = [...table.tBodies[0].rows];
    const order = (a, b) => {
      const x = valueOf(a, column);
      const y = valueOf(b, column);
      return isNumber ? x - y : x.localeCompare(y);
    };
    rows.sort((a, b) => (descends ? order(b, a) : order(a, b)));
    table.tBodies[0].append(...rows);
    for (const other of table.tHead.rows[0].cells) other.removeAttribute('aria-sort');
    heading.setAttribute('aria-sort', descends ? 'descending' : 'ascending');
  }

  // The style sheet hides what is below the first rows, in whatever order they are.
  function shorten(table) {
    const count = table.tBodies[0].rows.length;
    if (count <= 30) return;
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'more';
    const show = (isShort) => {
      table.classList.toggle('short', isShort);
      button.textContent = isShort ? `Show all ${count}` : 'Show the first 25';
    };
    button.addEventListener('click', () => show(!table.classList.contains('short')));
    show(true);
    table.parentElement.after(button);
  }

  function setUpTable(table) {
    table.tHead.addEventListener('click', (event) => {
      if (event.target.closest('button')) sortBy(table, event.target.closest('th'));
    });
    table.addEventListener('click', (event) => {
      const name = event.target.closest('td.name code');
      if (!name) return;
      if (name.title) [name.textContent, name.title] = [name.title, name.textContent];
      name.classList.toggle('full');
    });
    shorten(table);
    if (table.tBodies[0].rows.length < 8) return;
    const filter = document.createElement('input');
    filter.className = 'filter';
    filter.type = 'search';
    filter.placeholder = 'Show rows that contain ...';
    filter.setAttribute('aria-label', filter.placeholder);
    filter.addEventListener('input', () => {
      const plain = (words) => words.toLowerCase().replaceAll('\u00a0', ' ');
      const wanted = plain(filter.value);
      const more = table.closest('section').querySelector('.more');
      if (wanted && table.classList.contains('short')) more.click();
      for (const row of table.tBodies[0].rows) row.hidden = !plain(row.textContent).includes(wanted);
    });
    table.parentElement.before(filter);
  }

  setUpTheme();
  document.querySelectorAll('.strip').forEach(setUpStrip);
  document.querySelectorAll('table.sortable').forEach(setUpTable);
})();
