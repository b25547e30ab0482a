// Live pages are fetched anew and put in place; j and k step through a trajectory, n and p through tasks.
"use strict";
const PERIOD_MS = 2500;

async function refresh() {
  const main = document.querySelector("main");
  if (!main.querySelector("[data-live]")) return;
  try {
    const answer = await fetch(location.href, { cache: "no-store" });
    if (!answer.ok) throw new Error(answer.statusText);
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("main");
    const isBusy = main.contains(document.activeElement) && document.activeElement.matches("input, select");
    if (fresh.innerHTML !== main.innerHTML && !isBusy) {
      const chosen = [...main.querySelectorAll("input:checked")].map((input) => [input.name, input.value]);
      main.replaceChildren(...fresh.childNodes);
      for (const input of main.querySelectorAll("input[type=radio]")) {
        if (chosen.some(([name, value]) => input.name === name && input.value === value)) input.checked = true;
      }
    }
  } catch {
    // The viewer was ended, or the page could not be made just now: what is shown stays.
  }
  setTimeout(refresh, PERIOD_MS);
}
setTimeout(refresh, PERIOD_MS);

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select, textarea")) return;
  if (event.key === "n" || event.key === "p") {
    const link = document.querySelector(`a[rel="${event.key === "n" ? "next" : "prev"}"]`);
    if (link) link.click();
  }
  if (event.key === "j" || event.key === "k") {
    const steps = [...document.querySelectorAll(".step")];
    const here = steps.findIndex((step) => step.getBoundingClientRect().top > 24);
    const next = event.key === "j" ? (here < 0 ? steps.length - 1 : here) : (here < 0 ? steps.length : here) - 2;
    const at = steps[Math.max(0, next)];
    if (at) at.scrollIntoView();
  }
});
document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-fold]");
  if (!button) return;
  for (const each of document.querySelectorAll("main details")) each.open = button.dataset.fold === "open";
});
