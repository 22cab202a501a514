const words = JSON.parse(document.getElementById("words")?.textContent || "{}");
const toasts = document.getElementById("toasts");

function expire(toast) {
  let timer;
  const start = () => (timer = setTimeout(() => toast.remove(), 8e3));
  for (const type of ["mouseenter", "focusin"]) toast.addEventListener(type, () => clearTimeout(timer));
  for (const type of ["mouseleave", "focusout"]) toast.addEventListener(type, start);
  start();
}

function say(text) {
  const toast = document.getElementById("toast")?.content.firstElementChild.cloneNode(true);
  if (!toast) return;
  toast.querySelector(".toast__t").textContent = text;
  while (toasts.children.length > 2) toasts.firstElementChild.remove();
  toasts.append(toast);
  expire(toast);
}

for (const toast of toasts?.children || []) expire(toast);
// What asks unseen asks again; live.js tells of an ended sign-in.
for (const type of ["htmx:response:error", "htmx:error"])
  document.addEventListener(type, ({ target, detail }) => {
    if (!target.hidden && detail?.ctx?.response?.status !== 401) say(words.failed);
  });

// No press counts that follows a change of the page at once; keys always press twice.
let armed, label, timer, moved = Date.now();
document.addEventListener("htmx:after:swap", () => (moved = Date.now()));
document.addEventListener("focusout", ({ target }) => target === armed && disarm());

function disarm() {
  clearTimeout(timer);
  if (armed) Object.assign(armed, { name: "", innerHTML: label });
  armed = 0;
}

function press(button, event) {
  if (button !== armed) disarm();
  const late = Date.now() - moved > 600 && event.detail < 2;
  if (!button || (late && (armed || (event.detail && "once" in button.dataset)))) return;
  event.preventDefault();
  if (armed || !late) return;
  armed = button;
  label = button.innerHTML;
  Object.assign(button, { name: "sure", value: "yes", textContent: button.dataset.arm });
  timer = setTimeout(disarm, 4e3);
}

document.addEventListener("click", async (event) => {
  const at = (selector) => event.target.closest?.(selector);
  at("[data-dismiss]")?.closest(".toast").remove();
  at("[data-close]")?.closest("dialog").close();
  if (event.target.matches?.("dialog")) event.target.close();
  const opener = at("[data-dialog]");
  if (opener) document.getElementById(opener.dataset.dialog).showModal();
  const search = at("[data-open-search]");
  if (search && (search.ariaExpanded = document.getElementById("search").classList.toggle("search--open")))
    document.getElementById("q").focus();
  press(at("[data-arm]"), event);
  const copy = at("[data-copy]");
  if (copy) {
    await navigator.clipboard?.writeText(copy.dataset.copy);
    say(words.copied);
  }
  for (const menu of document.querySelectorAll("details.menu[open]")) if (!menu.contains(event.target)) menu.open = false;
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") disarm();
  const menu = event.target.closest?.("details.menu[open]");
  if (!menu) return;
  const items = [...menu.querySelectorAll(".menu__item")];
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.key === "Escape") {
    menu.open = false;
    menu.querySelector("summary").focus();
  } else if (step) {
    event.preventDefault();
    items.at((items.indexOf(document.activeElement) + step) % items.length)?.focus();
  }
});

// A broken picture leaves its quiet ground.
document.addEventListener("error", (event) => event.target.matches?.("img") && (event.target.hidden = true), true);
