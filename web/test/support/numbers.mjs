// Numbers of results as pages show them, and back.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { limit, project } from "./harness.mjs";

/** Every number of a JSON value by its path, as core/numpath writes paths. */
export function flatten(value, path = "", out = new Map()) {
  if (typeof value === "number") out.set(path, value);
  else if (value !== null && typeof value === "object") {
    for (const [key, inner] of Object.entries(value)) {
      const plain = key !== "" && !/[."[\]]/.test(key);
      flatten(inner, plain ? (path === "" ? key : `${path}.${key}`) : `${path}["${key}"]`, out);
    }
  }
  return out;
}

/** What a formatted number says. */
export function parse(text) {
  const superscript = { "⁰": 0, "¹": 1, "²": 2, "³": 3, "⁴": 4, "⁵": 5, "⁶": 6, "⁷": 7, "⁸": 8, "⁹": 9, "⁻": "-" };
  const plain = text
    .replace(/\u202f/g, "")
    .replace("−", "-")
    .replace(/ × 10([⁰-⁹⁻¹²³]+)/, (_, e) => `e${Array.from(e, (c) => superscript[c]).join("")}`);
  return Number(plain);
}

/** The numbers that the native twin computes for a study, by path. */
export function native(study) {
  const options = { cwd: project, timeout: limit, maxBuffer: 1 << 26, stdio: ["ignore", "pipe", "ignore"] };
  return flatten(JSON.parse(execFileSync("go", ["run", "./cmd/native", "replay", study, "--json"], options)));
}

/** Fails unless a shown text says a value, to four decimals or exactly. */
export function says(path, text, value) {
  assert.notEqual(value, undefined, `the native results have no ${path}`);
  const small = value !== 0 && Math.abs(value) < 1e-4 && path.endsWith("pExact");
  assert.ok(
    small ? Math.abs(parse(text) / value - 1) <= 0.06 : Math.abs(parse(text) - value) <= Math.max(5.001e-5, Math.abs(value) * 1e-12),
    `${path}: ${text} for ${value}`,
  );
}
