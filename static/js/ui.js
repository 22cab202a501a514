// What HTML does not do alone.
const words = JSON.parse(document.getElementById("words")?.textContent || "{}");
const toasts = document.getElementById("toasts");

function expire(toast) {
  let timer;
  const start = () => (timer = setTimeout(() => toast.remove(), 8000));
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
// What asks in the background is hidden and asks again; live.js tells of an ended sign-in.
for (const type of ["htmx:response:error", "htmx:error"])
  document.addEventListener(type, ({ target, detail }) => {
    if (!target.hidden && detail?.ctx?.response?.status !== 401) say(words.failed);
  });

document.addEventListener("click", async (event) => {
  const at = (selector) => event.target.closest?.(selector);
  at("[data-dismiss]")?.closest(".toast").remove();
  at("[data-close]")?.closest("dialog").close();
  if (event.target.matches?.("dialog")) event.target.close();
  const opener = at("[data-dialog]");
  if (opener) document.getElementById(opener.dataset.dialog).showModal();
  const search = at("[data-open-search]");
  if (search) {
    const open = document.getElementById("search").classList.toggle("search--open");
    search.ariaExpanded = open;
    if (open) document.querySelector("#search input[type=search]").focus();
  }
  const arm = at("[data-arm]");
  if (arm && (arm.name !== "sure" || event.detail > 1)) {
    event.preventDefault();
    const label = (arm.dataset.label ??= arm.textContent);
    arm.name = "sure";
    arm.value = "yes";
    arm.textContent = arm.dataset.arm;
    setTimeout(() => {
      arm.name = "";
      arm.textContent = label;
    }, 4e3);
  }
  const copy = at("[data-copy]");
  if (copy) {
    await navigator.clipboard?.writeText(copy.dataset.copy);
    say(words.copied);
  }
  for (const menu of document.querySelectorAll("details.menu[open]")) if (!menu.contains(event.target)) menu.open = false;
});

document.addEventListener("keydown", (event) => {
  const menu = event.target.closest?.("details.menu[open]");
  if (!menu) return;
  const items = [...menu.querySelectorAll(".menu__item")];
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.key === "Escape") {
    menu.open = false;
    menu.querySelector("summary").focus();
  } else if (step) {
    event.preventDefault();
    const next = items.indexOf(document.activeElement) + step;
    items[(next + items.length) % items.length]?.focus();
  }
});

// A broken picture leaves its quiet ground.
document.addEventListener("error", (event) => event.target.matches?.("img") && (event.target.hidden = true), true);
