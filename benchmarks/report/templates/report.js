// What pytest-html's page lacks: the environment last and folded, labels for its boxes, keys for what a mouse can do.
if (document.currentScript.dataset.media === "none") {
  // An empty video in every row takes longer to make than all the rest of the page.
  const row = document.getElementById("template_results-table__tbody");
  if (row) row.content.querySelector(".media").replaceChildren();
}
document.addEventListener("DOMContentLoaded", () => {
  const header = document.getElementById("environment-header");
  const environment = document.getElementById("environment");
  const footer = document.querySelector("footer");
  if (header && environment && footer) {
    footer.before(header, environment);
    header.classList.add("collapsed");
    environment.classList.add("hidden");
  }
  for (const box of document.querySelectorAll("input.filter")) {
    const name = box.nextElementSibling;
    name.textContent = name.textContent.replace(/,\s*$/, "");
    box.setAttribute("aria-label", name.textContent);
  }
  for (const cell of document.querySelectorAll("#results-table-head th.sortable")) cell.tabIndex = 0;
});
document.addEventListener("keydown", (event) => {
  const cell = event.target.closest("th.sortable, td.col-result");
  if (!cell || (event.key !== "Enter" && event.key !== " ")) return;
  event.preventDefault();
  const row = cell.parentElement.dataset.id;
  cell.click();
  // Every click makes the table anew; what had the focus is gone.
  const again = row ? document.querySelector(`tr[data-id="${row}"] td.col-result`) : cell;
  if (again) again.focus();
});
