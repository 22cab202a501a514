// The open page: stream watchdog, live chip, "N new" pill, relative times, rings. One timer a second for all of it.
const get = (id) => document.getElementById(id);
const words = JSON.parse(get("words")?.textContent || "{}");
const live = get("live"), chip = get("chip"), pill = get("pill"), feed = get("feed");
const zone = document.body.dataset.zone, language = document.documentElement.lang, title = document.title;
const put = (text, n) => text.replace("%(n)s", n);
const LATE_MS = 2000;
const clock = new Intl.DateTimeFormat(language, { timeStyle: "short", hourCycle: "h23", timeZone: zone });

let offset = 0, heard = 0, began = Date.now(), figures = {}, tries = 0, nextTry = 3000, full = false;
let paused = false, fresh = 0, polled = 0, counting = null, saidAt = 0;
const now = () => Date.now() + offset;

// ---- times
const seconds = (ms) => (ms < 9950 ? (ms / 1000).toFixed(1) : Math.round(ms / 1000));

function ago(then) {
  const s = Math.max(0, Math.floor((now() - then) / 1000));
  if (s < 2) return words.now;
  if (s < 60) return put(words.ago_s, s);
  return s < 3600 ? put(words.ago_m, Math.floor(s / 60)) : clock.format(then);
}

function until(then) {
  const s = Math.floor((then - now()) / 1000);
  if (s < 1) return words.due;
  return s < 60 ? put(words.in_s, s) : s < 3600 ? put(words.in_m, Math.floor(s / 60)) : null;
}

function write(element, text) {
  if (text && element.textContent !== text) element.textContent = text;
}

function tick() {
  for (const element of document.querySelectorAll("time[data-ago]")) {
    const then = Date.parse(element.dateTime);
    if (now() - then < 7200e3) write(element, ago(then));
  }
  for (const element of document.querySelectorAll("time[data-in]")) write(element, until(Date.parse(element.dateTime)));
  for (const ring of document.querySelectorAll(".ring[data-due]")) {
    const every = ring.dataset.every * 1000, left = Date.parse(ring.dataset.due) - now();
    const share = Math.max(0, Math.min(1, 1 - left / every));
    ring.querySelector(".ring__v")?.setAttribute("stroke-dasharray", `${Math.round(share * 100)} 100`);
  }
  watch();
}

// ---- chip
function state() {
  if (paused) return ["paused", words.paused];
  const silent = Date.now() - (heard || began);
  if (full) return ["polling", words.full];
  if (silent > 60e3) return ["polling", words.polling];
  if (silent > 15e3) {
    const old = Math.round((figures.age || 0) + silent / 1000);
    return heard ? ["off", words.off, put(words.old, put(words.s, old))] : ["off", words.off];
  }
  if (!heard) return ["wait", words.on];
  if (figures.late > LATE_MS) return ["late", put(words.late, put(words.s, seconds(figures.late)))];
  return figures.found == null ? ["on", words.on] : ["on", words.on, put(words.s, seconds(figures.found))];
}

function show() {
  if (!chip) return;
  const [name, ...texts] = state();
  if (chip.dataset.state !== name) chip.dataset.state = name;
  const parts = chip.firstElementChild;
  texts.forEach((text, i) => write(parts.children[i] || parts.appendChild(document.createElement("span")), text));
  while (parts.children.length > texts.length) parts.lastElementChild.remove();
}

// ---- watchdog: a dead connection is cut, a failed first one is opened again, and at worst the page asks by itself
function watch() {
  show();
  if (paused || document.hidden) return;
  const silent = Date.now() - (heard || began), stream = live._htmx?.sse;
  if (silent > 15e3 && stream?.reader) stream.reader.cancel();
  if (!stream && Date.now() - began > nextTry) connect();
  if ((silent > 60e3 || full) && Date.now() - polled > 10e3) {
    polled = Date.now();
    count();
  }
}

function connect() {
  nextTry = Date.now() - began + [1, 2, 5, 10, 20][Math.min(tries++, 4)] * 1000;
  window.htmx?.ajax("GET", live.getAttribute("hx-sse:connect"), { source: live, swap: "none" });
}

const on = (name, act) => live.addEventListener(name, (event) => act(JSON.parse(event.detail?.data || "{}")));
if (live) {
  on("ping", (data) => {
    heard = Date.now();
    tries = 0;
    full = false;
    offset = data.t - heard;
    figures = data;
    show();
  });
  on("matches", () => soon());
  on("resync", () => soon());
  on("full", () => (full = true));
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) return;
    heard &&= Date.now();
    soon();
    tick();
  });
}

// ---- pill: what is new is counted by the server with the page's own filters, and shown when asked for
const since = () => `${feed.dataset.url}&after=${feed.dataset.newest}`.replace("?&", "?");

function soon() {
  if (feed?.dataset.url && !paused) counting ??= setTimeout(count, 60);
}

async function count() {
  clearTimeout(counting);
  counting = null;
  if (!feed?.dataset.url) return;
  const answer = await fetch(`${since()}&count=1`).catch(() => null);
  if (!answer?.ok || answer.redirected) return;
  fresh = (await answer.json()).n;
  const text = fresh === 1 ? words.one : put(words.many, fresh);
  pill.hidden = !fresh;
  if (fresh) pill.lastElementChild.textContent = text;
  document.title = fresh ? `(${fresh}) ${title}` : title;
  if (fresh && Date.now() - saidAt > 10e3) {
    saidAt = Date.now();
    get("said").textContent = text;
  }
}

async function load() {
  feed.setAttribute("aria-busy", "true");
  const answer = await fetch(since()).catch(() => null);
  feed.setAttribute("aria-busy", "false");
  if (!answer?.ok || answer.redirected) return;
  const box = document.createElement("template");
  box.innerHTML = await answer.text();
  const cards = [...box.content.children];
  if (!cards.length) return;
  document.querySelector(".feedbox > .empty")?.remove();
  feed.dataset.newest = Math.max(feed.dataset.newest, ...cards.map((card) => card.dataset.id));
  feed.querySelector(".here")?.remove();
  if (feed.children.length) feed.prepend(get("here").content.cloneNode(true));
  for (const card of cards) card.classList.add("is-new");
  feed.prepend(...cards);
  for (const card of cards) window.htmx?.process(card);
  while (feed.children.length > 120) feed.lastElementChild.remove();
  [...feed.querySelectorAll("article")].forEach((card, i) => card.setAttribute("aria-posinset", i + 1));
  fresh = 0;
  pill.hidden = true;
  document.title = title;
  scrollTo({ top: 0 });
  cards[0].focus({ preventScroll: true });
}

pill?.addEventListener("click", load);
document.querySelector('.tab[aria-current="page"]')?.addEventListener("click", (event) => {
  if (!fresh) return;
  event.preventDefault();
  load();
});
get("pause")?.addEventListener("click", (event) => {
  paused = !paused;
  event.currentTarget.setAttribute("aria-pressed", paused);
  if (!paused) soon();
  show();
});

// ---- one timer, none in a hidden tab
let timer = setInterval(tick, 1000);
document.addEventListener("visibilitychange", () => {
  clearInterval(timer);
  if (!document.hidden) timer = setInterval(tick, 1000);
});
tick();
