// Takes in a request's body whole, with bounds on its size and on the time that it takes to arrive: the Go program
// then never waits for a client.
import { problem } from "./problem.mjs";

const maxBytes = 64 * 1024; // MaxBody in cmd/edge/api

const late = Symbol("late");

/** The request with its whole body, or a response that refuses it. */
export async function receive(request, maxMilliseconds) {
  const headers = [...request.headers];
  if (request.body === null) return new Request(request.url, { method: request.method, headers });
  const declared = Number(request.headers.get("Content-Length") ?? 0);
  const reader = request.body.getReader();
  const refuse = async (...about) => {
    await reader.cancel().catch(() => {}); // the client may have gone
    return problem(request, ...about);
  };
  const tooLarge = [
    "too-large",
    413,
    "The request asks for too much at once",
    `a request of more than ${maxBytes} bytes`,
    "send less, or ask an engine of your own: go run ./cmd/native request",
  ];
  if (declared > maxBytes) return refuse(...tooLarge);
  const chunks = [];
  let bytes = 0;
  let timer;
  const deadline = new Promise((resolve) => {
    timer = setTimeout(resolve, maxMilliseconds, late);
  });
  try {
    for (;;) {
      const part = await Promise.race([reader.read(), deadline]);
      if (part === late)
        return refuse(
          "too-slow",
          408,
          "The request took too long to arrive",
          `the body was not here after ${maxMilliseconds / 1000} s`,
          "send it in one go",
        );
      if (part.done) break;
      bytes += part.value.byteLength;
      if (bytes > maxBytes) return refuse(...tooLarge);
      chunks.push(part.value);
    }
  } finally {
    clearTimeout(timer);
  }
  if (request.method === "GET" || request.method === "HEAD") return new Request(request.url, { method: request.method, headers });
  return new Request(request.url, { method: request.method, headers, body: await new Blob(chunks).arrayBuffer() });
}
