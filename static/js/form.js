const form = document.getElementById("watch-form");
let changed = form.matches("[data-draft], :has(.field--error)");

form.addEventListener("input", () => (changed = true));
form.addEventListener("submit", () => (changed = false));
form.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit(document.getElementById("save"));
});
addEventListener("beforeunload", (event) => changed && event.preventDefault());
