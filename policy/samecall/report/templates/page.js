"use strict";
// Texts of a recording are only ever moved as text or cloned as they were parsed: nothing here writes HTML.
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const one = (id) => document.getElementById(id);
const chips = all(".timeline button");

// --- one call, beside the one that it repeats

const dialog = one("call");

function open(chip) {
  const [said, details] = [chip.querySelector(".said"), chip.nextElementSibling];
  const [tool, line] = all("span", said).map((part) => part.textContent);
  const reason = chip.dataset.reason ? ` · ${chip.dataset.reason}` : "";
  one("call-title").textContent = `Call ${chip.dataset.number} · ${tool}${reason}`;
  if (details instanceof HTMLTemplateElement) {
    one("call-body").replaceChildren(details.content.cloneNode(true));
  } else {
    const text = document.createElement("pre");
    text.tabIndex = 0;
    text.textContent = line;
    one("call-body").replaceChildren(text);
    if (reason) {
      const rest = document.createElement("p");
      rest.textContent = "The page has no room for more of this call.";
      one("call-body").append(rest);
    }
  }
  dialog.showModal();
  dialog.scrollTop = 0;
}

one("close").addEventListener("click", () => dialog.close());
dialog.addEventListener("click", (event) => {
  if (event.target === dialog) dialog.close();  // the backdrop
});

// --- a timeline is one stop of the Tab key; arrows go along it

const seen = (timeline) => all("button:not([hidden])", timeline);

function stop(timeline, chip) {
  for (const other of all("button[tabindex='0']", timeline)) other.tabIndex = -1;
  if (chip) chip.tabIndex = 0;
}

for (const timeline of all(".timeline")) {
  for (const chip of all("button", timeline)) chip.tabIndex = -1;
  stop(timeline, seen(timeline)[0]);
  timeline.addEventListener("click", (event) => {
    const chip = event.target.closest("button");
    if (!chip) return;
    stop(timeline, chip);
    open(chip);
  });
  timeline.addEventListener("mouseover", (event) => {
    const chip = event.target.closest("button");
    if (chip && !chip.title) chip.title = chip.querySelector(".said").textContent;
  });
  timeline.addEventListener("keydown", (event) => {
    const found = seen(timeline);
    const place = found.indexOf(document.activeElement);
    const next = {
      ArrowRight: place + 1, ArrowDown: place + 1, ArrowLeft: place - 1, ArrowUp: place - 1,
      Home: 0, End: found.length - 1,
    }[event.key];
    if (next === undefined || !found[next]) return;
    event.preventDefault();
    stop(timeline, found[next]);
    found[next].focus();
  });
}

// --- search, and the kinds of calls to show

const texts = new Map(chips.map((chip) => [chip, chip.querySelector(".said").textContent.toLowerCase()]));
const articles = all("article").map((article) => ({
  article,
  row: document.querySelector(`tr[data-session="${article.id}"]`),
  title: article.querySelector("h3").textContent.toLowerCase(),
  chips: all(".timeline button", article),
  marks: all(".gap, .turn", article),
}));

function filter() {
  const wanted = one("search").value.trim().toLowerCase();
  const kinds = new Set(all("input[name=kind]:checked").map((box) => box.value));
  const everything = !wanted && all("input[name=kind]:not(:checked)").length === 0;
  let count = 0;
  for (const { article, row, title, chips: own, marks } of articles) {
    const whole = title.includes(wanted);
    let shown = 0;
    for (const chip of own) {
      chip.hidden = !kinds.has(chip.dataset.kind) || !(whole || texts.get(chip).includes(wanted));
      shown += chip.hidden ? 0 : 1;
    }
    for (const mark of marks) mark.hidden = !everything;
    article.hidden = row.hidden = shown === 0;
    const timeline = article.querySelector(".timeline");
    if (!timeline.querySelector("button[tabindex='0']:not([hidden])")) stop(timeline, seen(timeline)[0]);
    count += shown;
  }
  one("nothing").hidden = count > 0 || everything;
  one("status").textContent = everything ? "" : `${count.toLocaleString("en")} of ${chips.length.toLocaleString("en")} calls`;
}

one("search").addEventListener("input", filter);
for (const box of all("input[name=kind]")) box.addEventListener("change", filter);
document.querySelector(".controls").addEventListener("submit", (event) => event.preventDefault());
filter();  // a browser may have kept what was typed before a reload

// --- tables sort by a click on a heading; numbers begin with the greatest

function sort(heading) {
  const body = heading.closest("table").tBodies[0];
  const numeric = heading.classList.contains("number");
  const first = numeric ? "descending" : "ascending";
  const order = heading.ariaSort === first ? (numeric ? "ascending" : "descending") : first;
  for (const other of all("th", heading.parentElement)) other.ariaSort = "none";
  heading.ariaSort = order;
  const value = (row) => row.cells[heading.cellIndex];
  const compare = numeric
    ? (a, b) => Number(value(a).dataset.value) - Number(value(b).dataset.value)
    : (a, b) => value(a).textContent.localeCompare(value(b).textContent, "en", { numeric: true });
  const sign = order === "ascending" ? 1 : -1;
  body.append(...[...body.rows].sort((a, b) => sign * compare(a, b)));
}

for (const button of all("table[data-sorts] thead button")) {
  button.addEventListener("click", () => sort(button.parentElement));
}
