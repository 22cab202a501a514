const $ = (selector) => document.querySelector(selector);
const cards = () => [...document.querySelectorAll("#feed > [tabindex]")];
let prefix = 0;

const current = () => cards().find((card) => card.contains(document.activeElement));

function move(step) {
  const all = cards(), card = all[Math.max(0, all.indexOf(current()) + step)];
  card?.focus();
  card?.scrollIntoView({ block: "nearest" });
}

const go = (selector, place = document) => place.querySelector(selector)?.click();
const inCard = (selector) => current() && go(selector, current());
const menu = (name) => () => go(`.nav a[href$="/${name}/"]`);
const after = { m: menu("matches"), u: menu("auctions"), w: menu("watches"), a: menu("approvals"), o: menu("orders") };
const acts = {
  "/": () => ($("[data-open-search]")?.offsetParent ? go("[data-open-search]") : $("input[type=search]")?.focus()),
  "?": () => $("#keys")?.showModal(),
  g: () => (prefix = Date.now()),
  n: () => (location.href = $('.nav a[href$="/watches/"]').href + "new/"),
  j: () => move(1), k: () => move(-1), PageDown: () => move(1), PageUp: () => move(-1),
  Enter: () => inCard("h2 a"), m: () => inCard("[formaction$='/mute/']"), s: () => inCard("[href$='#note']"),
  a: () => (cards()[0] ? inCard : go)(".btn--go[data-arm]"), o: () => inCard("[data-open]"), x: () => inCard("[data-ignore]"), z: () => go(".undo [data-undo]", current()),
  p: () => go("#pause"), ".": () => !$("#pill")?.hidden && go("#pill"),
};

// Who speaks to the device switches them off.
const box = $("#keys-on");
if (box) {
  box.checked = localStorage.keys !== "off";
  box.addEventListener("change", () => (localStorage.keys = box.checked ? "on" : "off"));
}

document.addEventListener("keydown", (event) => {
  const typing = event.target.matches?.("input, textarea, select, [contenteditable]");
  if (!box?.checked || typing || event.ctrlKey || event.metaKey || event.altKey || event.isComposing || $("dialog[open]")) return;
  if (event.key.startsWith("Page") && !current()) return;
  if (event.key === "Enter" && event.target !== current()) return;
  const act = Date.now() - prefix < 1200 ? after[event.key] : acts[event.key];
  if (event.key !== "g") prefix = 0;
  if (!act) return;
  event.preventDefault();
  act();
});
