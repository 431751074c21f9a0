// Serves the static site. The platform's store of assets holds the bytes; names, types, headers, entity tags and
// codings are those that the site's build made (site.mjs), so that every host answers alike.
import { problem } from "./problem.mjs";
import { base, files, headers as headerSets } from "./site.mjs";

export async function serve(request, env) {
  const { pathname } = new URL(request.url);
  const open = pathname.startsWith(`${base}kit/`);
  if (request.method === "OPTIONS") {
    const allow = { Allow: "GET, HEAD, OPTIONS" };
    const cors = {
      "Access-Control-Allow-Origin": "*",
      "Access-Control-Allow-Methods": "GET, HEAD",
      "Access-Control-Allow-Headers": "If-None-Match, If-Range, Range",
      "Access-Control-Max-Age": "86400",
    };
    return new Response(null, { status: 204, headers: open ? { ...allow, ...cors } : allow });
  }
  if (request.method !== "GET" && request.method !== "HEAD") {
    return problem(
      request,
      "bad-method",
      405,
      "The resource does not take this method",
      `${pathname} takes GET, HEAD`,
      "requests go to POST /v1/requests",
      { Allow: "GET, HEAD, OPTIONS" },
    );
  }
  const name = find(pathname);
  if (name === undefined) return send(request, env, "404.html", 404);
  if (name.redirect) return new Response(null, { status: 301, headers: { Location: name.redirect } });
  return send(request, env, name, 200);
}

/** The file of a path; undefined where there is none; a folder's page where its slash is missing. */
function find(pathname) {
  if (!pathname.startsWith(base)) return pathname + "/" === base ? { redirect: base } : undefined;
  let name;
  try {
    name = decodeURIComponent(pathname.slice(base.length));
  } catch {
    return undefined;
  }
  if (name === "" || name.endsWith("/")) name += "index.html";
  if (Object.hasOwn(files, name)) return name;
  return Object.hasOwn(files, `${name}/index.html`) ? { redirect: `${pathname}/` } : undefined;
}

async function send(request, env, name, status) {
  const file = files[name];
  const range = status === 200 ? request.headers.get("Range") : null;
  // A range is of the coded bytes (RFC 9110, 14.2); asking for one gets the plain file.
  const coding = range === null ? file.codings.find(([coding]) => accepts(accepted(request), coding)) : undefined;
  const etag = `"${file.sha256.slice(0, 32)}${coding ? `-${coding[0]}` : ""}"`;
  const headers = new Headers(headerSets[file.headers]);
  headers.set("Content-Type", file.type);
  headers.set("Vary", "Accept-Encoding");
  if (headers.has("Access-Control-Allow-Origin")) headers.set("Access-Control-Expose-Headers", "Accept-Ranges, Content-Range, ETag");
  if (status === 200) {
    headers.set("ETag", etag);
    headers.set("Accept-Ranges", "bytes");
    if (matches(request.headers.get("If-None-Match"), etag)) return new Response(null, { status: 304, headers });
  }
  const part = rangeOf(range, request.headers.get("If-Range"), etag, file.bytes);
  if (part === "unsatisfiable") {
    headers.set("Content-Range", `bytes */${file.bytes}`);
    headers.delete("Content-Type");
    return new Response(null, { status: 416, headers });
  }
  if (coding) headers.set("Content-Encoding", coding[0]);
  if (part) {
    status = 206;
    headers.set("Content-Range", `bytes ${part.first}-${part.last}/${file.bytes}`);
  }
  headers.set("Content-Length", String(part ? part.last - part.first + 1 : coding ? coding[2] : file.bytes));
  const init = { status, headers, encodeBody: "manual" };
  if (request.method === "HEAD") return new Response(null, init);
  const stored = await env.ASSETS.fetch(new URL(name + (coding ? coding[1] : ""), "https://assets.invalid/"));
  if (!stored.ok) throw new Error(`${name}: status ${stored.status}`);
  if (part) return new Response((await stored.arrayBuffer()).slice(part.first, part.last + 1), init);
  return new Response(stored.body, init);
}

/** The client's Accept-Encoding field; the platform puts its own in the request's. */
function accepted(request) {
  return request.cf?.clientAcceptEncoding ?? request.headers.get("Accept-Encoding") ?? "";
}

/** Whether an Accept-Encoding field takes a coding, by its name or by "*", with a weight above 0 (RFC 9110, 12.5.3). */
function accepts(field, coding) {
  let any = false;
  for (const part of field.toLowerCase().split(",")) {
    const [name, ...parameters] = part.split(";").map((s) => s.trim());
    const weight = parameters.find((p) => p.startsWith("q="));
    const taken = weight === undefined || Number(weight.slice(2)) > 0;
    if (name === coding) return taken;
    if (name === "*") any = taken;
  }
  return any;
}

/** Whether an If-None-Match field holds an entity tag, compared weakly (RFC 9110, 13.1.2). */
function matches(field, etag) {
  if (field === null) return false;
  return field.split(",").some((tag) => ["*", etag].includes(tag.trim().replace(/^W\//, "")));
}

/** The one range of a Range field; undefined for none, for several and for what is malformed: the whole is sent then. */
function rangeOf(field, condition, etag, size) {
  const match = /^bytes=(\d*)-(\d*)$/.exec(field?.trim() ?? "");
  if (!match || (match[1] === "" && match[2] === "") || (condition !== null && condition !== etag)) return undefined;
  if (match[1] === "") {
    const length = Number(match[2]);
    return length === 0 ? "unsatisfiable" : { first: Math.max(0, size - length), last: size - 1 };
  }
  const first = Number(match[1]);
  const last = match[2] === "" ? size - 1 : Number(match[2]);
  if (match[2] !== "" && last < first) return undefined;
  return first >= size ? "unsatisfiable" : { first, last: Math.min(last, size - 1) };
}
