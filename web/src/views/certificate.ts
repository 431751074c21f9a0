// A certificate of `native crosscheck`, dropped or chosen, beside what this browser computed. Go compares; this only shows.
import { h, kit, maybe } from "../dom";
import type { CertificateResult, Comparison } from "../engine/protocol.gen";
import { longestCertificate } from "../page.gen";
import type { Session } from "../session";
import { failure } from "./failure";

const states: Readonly<Record<string, string>> = { same: "same", differs: "differs", open: "not compared" };

/** Fills the element "certificate", where the page has one. */
export function startCertificate(session: Session): void {
  const place = maybe("certificate");
  if (place === null) return;
  const input = h("input", { type: "file", id: "certificate-file", accept: ".json,application/json" });
  const out = h("div", { "aria-live": "polite" });
  const label = h(
    "label",
    { for: "certificate-file" },
    "Drop a certificate of ",
    h("code", {}, "native crosscheck"),
    " here, or choose one: ",
  );
  const zone = h("p", { class: "drop" }, label, input);
  place.replaceChildren(zone, out);

  let asked = 0;
  const take = async (file: File): Promise<void> => {
    const mine = ++asked;
    out.setAttribute("aria-busy", "true");
    try {
      if (file.size > longestCertificate)
        throw new Error(`${file.name} has ${file.size} bytes: a certificate has at most ${longestCertificate}`);
      const result = await session.ask("certificate", { study: session.study, certificate: await file.text() });
      if (mine === asked) out.replaceChildren(...show(result));
    } catch (error) {
      if (mine === asked) out.replaceChildren(failure(error));
    } finally {
      if (mine === asked) out.removeAttribute("aria-busy");
    }
  };
  input.addEventListener("change", () => {
    const [file] = input.files ?? [];
    if (file !== undefined) void take(file);
    input.value = ""; // so that the same file can be chosen again after a replay
  });
  zone.addEventListener("dragover", (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    zone.dataset["over"] = "";
  });
  zone.addEventListener("dragleave", () => delete zone.dataset["over"]);
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    delete zone.dataset["over"];
    const [file] = event.dataTransfer?.files ?? [];
    if (file !== undefined) void take(file);
  });
}

function show({ study, date, state, sentence, problems, rows }: CertificateResult): Node[] {
  const of = date === "" ? "without a date" : `of ${date}, as its writer states`;
  const nodes: Node[] = [
    h(
      "p",
      { class: "verdict", "data-state": state },
      h("strong", {}, kit(sentence)),
      " ",
      h("span", { class: "quiet" }, "Certificate for ", kit(study), `, ${of}.`),
    ),
  ];
  if (problems.length > 0) nodes.push(h("ul", {}, ...problems.map((problem) => h("li", {}, kit(problem)))));
  const head = h("thead", {}, h("tr", {}, ...["What", "Certificate", "Here", "State"].map((text) => h("th", { scope: "col" }, text))));
  const body = h("tbody", {}, ...rows.map(row));
  const table = h("table", { class: "files" }, h("caption", {}, "What the certificate states, and what was computed here"), head, body);
  nodes.push(h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Certificate" }, table));
  return nodes;
}

function row({ label, certificate, here, state }: Comparison): HTMLElement {
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, kit(label)),
    h("td", {}, kit(certificate)),
    h("td", {}, kit(here)),
    h("td", { class: "file-state", "data-state": state === "open" ? "waiting" : state }, states[state] ?? ""),
  );
}
