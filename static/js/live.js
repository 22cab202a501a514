const get = (id) => document.getElementById(id);
const words = JSON.parse(get("words").textContent);
const live = get("live"), chip = get("chip"), pill = get("pill"), feed = get("feed");
const title = document.title;
const put = (text, n) => text.replace("%(n)s", n);
const LATE_MS = 2000;
const MOST = 120;

let offset = 0, heard = 0, began = Date.now(), figures = {}, tries = 0, nextTry = 3000, full = 0;
let paused = false, out = false, fresh = 0, polled = 0, counting = null, saidAt = 0;
const now = () => Date.now() + offset;
const whole = (n, unit = 1e3) => Math.max(0, Math.floor(n / unit));

const seconds = (ms) => (ms < 9950 ? (ms / 1e3).toFixed(1) : Math.round(ms / 1e3));

// An hour later it is the clock that the server has written.
function ago(then, clock) {
  const s = whole(now() - then);
  if (s < 2) return words.now;
  if (s < 60) return put(words.ago_s, s);
  return s < 3600 ? put(words.ago_m, whole(s, 60)) : clock;
}

function until(then, least) {
  const s = whole(then - now());
  if (s < (least || 1)) return words.due;
  const [text, unit] = s < 60 ? ["in_s", 1] : s < 3600 ? ["in_m", 60] : s < 1728e2 ? ["in_h", 3600] : ["in_d", 864e2];
  return put(words[text], whole(s, unit));
}

const two = (n) => `${n % 60}`.padStart(2, 0);

function left(then) {
  const s = whole(then - now()), h = whole(s, 3600);
  if (h > 23) return `${put(words.d, whole(h, 24))} ${put(words.h, h % 24)}`;
  return `${h ? `${h}:` : ""}${two(whole(s, 60))}:${two(s)}`;
}

function write(element, text) {
  if (text && element.textContent !== text) element.textContent = text;
}

const each = (name, text) => {
  for (const element of document.querySelectorAll(`time[data-${name}]`))
    write(element, text(Date.parse(element.dateTime), element.dataset[name]));
};

function tick() {
  each("ago", ago);
  each("in", until);
  each("end", left);
  for (const ring of document.querySelectorAll(".ring[data-due]")) {
    const share = 100 - (Date.parse(ring.dataset.due) - now()) / ring.dataset.every / 10;
    ring.lastElementChild.setAttribute("stroke-dasharray", `${whole(share, 1)} 100`);
  }
  watch();
}

function state() {
  if (out) return ["off", words.out];
  if (paused) return ["paused", words.paused];
  const silent = Date.now() - (heard || began);
  if (full) return ["polling", words.full];
  if (silent > 60e3) return ["polling", words.polling];
  if (silent > 15e3) {
    const old = Math.round((figures.age || 0) + silent / 1e3);
    return heard ? ["off", words.off, put(words.old, put(words.s, old))] : ["off", words.off];
  }
  if (!heard) return ["wait", words.wait];
  if (figures.late > LATE_MS) return ["late", put(words.late, put(words.s, seconds(figures.late)))];
  return figures.found == null ? ["on", words.on] : ["on", words.on, put(words.s, seconds(figures.found))];
}

function show() {
  const [name, ...texts] = state();
  write(get("alarm"), name === "off" && !out ? words.lost : " ");
  if (!chip) return;
  chip.hidden = false;
  if (chip.dataset.state !== name) chip.dataset.state = name;
  const parts = chip.firstElementChild;
  texts.forEach((text, i) => write(parts.children[i] || parts.appendChild(document.createElement("span")), text));
  while (parts.children.length > texts.length) parts.lastElementChild.remove();
}

// Cuts what is dead, opens again what failed.
function watch() {
  show();
  if (paused || out || document.hidden) return;
  const silent = Date.now() - (heard || began), stream = live._htmx?.sse;
  if (silent > 15e3 && stream?.reader) stream.reader.cancel();
  if (!stream && Date.now() - began > nextTry) connect();
  if ((silent > 60e3 || full) && Date.now() - polled > 10e3) {
    polled = Date.now();
    count();
  }
}

function connect() {
  nextTry = Date.now() - began + [1, 2, 5, 10, 20][Math.min(tries++, 4)] * 1e3;
  window.htmx?.ajax("GET", live.getAttribute("hx-sse:connect"), { source: live, swap: "none" });
}

function leave() {
  out = true;
  get("out").hidden = false;
  show();
}

const on = (name, act) => live.addEventListener(name, (event) => act(JSON.parse(event.detail?.data || "{}")));
on("ping", (data) => {
  if (!heard) soon();
  heard = Date.now();
  tries = full = 0;
  offset = data.t - heard;
  figures = data;
  show();
});
for (const name of ["matches", "resync"]) on(name, () => soon());
on("full", () => (full = 1));
live.addEventListener("htmx:sse:before:connection", ({ detail }) => (detail.connection.cancelled = out));
for (const type of ["htmx:sse:error", "htmx:response:error"])
  document.addEventListener(type, ({ detail }) => (detail.status || detail.ctx?.response?.status) === 401 && leave());
document.addEventListener("htmx:before:request", (event) => out && event.target.hidden && event.preventDefault());

const since = () => `${feed.dataset.url}&after=${feed.dataset.newest}`.replace("?&", "?");
const known = new Set([...(feed?.children || [])].map((card) => +card.dataset.id));
// Below a full page's last card nothing is new, but what came back to the top: its number has a fraction.
const floor = known.size < 30 ? 0 : Math.min(...[...known].filter((id) => !(id % 1)));
const unknown = (id) => (id % 1 || id > floor) && !known.has(id);

async function ask(address) {
  const answer = await fetch(address, { headers: { "HX-Request": "true" } }).catch(() => null);
  if (answer?.status === 401) leave();
  return answer?.ok ? answer : null;
}

function soon(wait = 60) {
  if (feed?.dataset.url && !paused && !out) counting ??= setTimeout(count, wait);
}

async function count() {
  clearTimeout(counting);
  counting = null;
  if (!feed?.dataset.url) return;
  const answer = await ask(`${since()}&count=1`);
  if (!answer) return soon(5e3);
  if (paused) return;
  fresh = (await answer.json()).ids.filter(unknown).length;
  const n = fresh > MOST ? `${MOST}+` : fresh, text = fresh === 1 ? words.one : put(words.many, n);
  pill.hidden = !fresh;
  if (fresh) pill.lastElementChild.textContent = text;
  document.title = fresh ? `(${n}) ${title}` : title;
  if (fresh && Date.now() - saidAt > 10e3) {
    saidAt = Date.now();
    get("said").textContent = text;
  }
}

async function load() {
  if (fresh > MOST) return location.reload();
  feed.ariaBusy = true;
  const answer = await ask(since());
  feed.ariaBusy = false;
  if (!answer) return;
  const box = document.createElement("template");
  box.innerHTML = await answer.text();
  const cards = [...box.content.children].filter((card) => unknown(+card.dataset.id));
  if (!cards.length) return;
  document.querySelector(".feedbox > .empty")?.remove();
  for (const card of cards) {
    known.add(+card.dataset.id);
    card.classList.add("is-new");
    get(card.id)?.remove();
  }
  feed.dataset.newest = Math.max(feed.dataset.newest, ...known);
  feed.querySelector(".here")?.remove();
  if (feed.children.length) feed.prepend(get("here").content.cloneNode(true));
  feed.prepend(...cards);
  for (const card of cards) window.htmx?.process(card);
  trim();
  [...feed.querySelectorAll("article")].forEach((card, i) => (card.ariaPosInSet = i + 1));
  fresh = 0;
  pill.hidden = true;
  document.title = title;
  scrollTo(0, 0);
  cards[0].focus({ preventScroll: true });
}

// "Older" begins where a page ends that has grown too long.
function trim() {
  if (feed.children.length <= MOST) return;
  while (feed.children.length > MOST) feed.lastElementChild.remove();
  const older = get("older"), address = new URL(feed.dataset.url, location);
  address.searchParams.set("before", feed.lastElementChild.dataset.id);
  older.href = address;
  older.hidden = get("pager").hidden = false;
}

pill?.addEventListener("click", load);
document.querySelector('.tab[aria-current="page"]')?.addEventListener("click", (event) => {
  if (!fresh) return;
  event.preventDefault();
  load();
});
get("pause")?.addEventListener("click", (event) => {
  paused = !paused;
  event.currentTarget.ariaPressed = paused;
  if (!paused) soon();
  show();
});

let timer;

function wake() {
  clearInterval(timer);
  if (document.hidden) return;
  timer = setInterval(tick, 1e3);
  if (heard) {
    heard = Date.now();
    soon();
  }
  tick();
}
document.addEventListener("visibilitychange", wake);
wake();
