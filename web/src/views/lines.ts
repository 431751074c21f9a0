// Lines between two rankings that join the same document.
const svg = "http://www.w3.org/2000/svg";

/** Draws the lines, and draws them again when the lists change their size. */
export function joinLines(grid: HTMLElement): void {
  const layer = document.createElementNS(svg, "svg");
  layer.setAttribute("class", "lines");
  layer.setAttribute("aria-hidden", "true");
  grid.append(layer);
  const observer = new ResizeObserver(() => {
    if (grid.isConnected) draw(grid, layer);
    else observer.disconnect();
  });
  for (const list of grid.querySelectorAll(".hits")) observer.observe(list);
  observer.observe(grid);
}

function draw(grid: HTMLElement, layer: SVGSVGElement): void {
  const [left, right] = Array.from(grid.querySelectorAll(".ranking"), (section) =>
    Array.from(section.querySelectorAll<HTMLElement>(".hit")),
  );
  if (left === undefined || right === undefined) return;
  const origin = grid.getBoundingClientRect();
  const paths: SVGPathElement[] = [];
  for (const from of left) {
    const to = right.find((other) => other.dataset["document"] === from.dataset["document"]);
    if (to === undefined) continue;
    const a = middle(from, origin);
    const b = middle(to, origin);
    const path = document.createElementNS(svg, "path");
    const bend = (b.left - a.right) / 2;
    path.setAttribute("d", `M${a.right},${a.y} C${a.right + bend},${a.y} ${b.left - bend},${b.y} ${b.left},${b.y}`);
    if (from.classList.contains("is-target")) path.setAttribute("class", "is-target");
    paths.push(path);
  }
  layer.replaceChildren(...paths);
}

function middle(element: HTMLElement, origin: DOMRect): { left: number; right: number; y: number } {
  const box = element.getBoundingClientRect();
  const head = element.querySelector(".hit-head")?.getBoundingClientRect() ?? box;
  return { left: box.left - origin.left, right: box.right - origin.left, y: head.top + head.height / 2 - origin.top };
}
