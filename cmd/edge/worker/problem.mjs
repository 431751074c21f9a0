/** An error in the form of RFC 9457, as cmd/edge/api writes it. */
export function problem(request, code, status, title, detail, hint, headers = {}) {
  const body = JSON.stringify({ type: `/v1/problems#${code}`, title, status, detail, code, hint });
  return new Response(request.method === "HEAD" ? null : `${body}\n`, {
    status,
    headers: {
      "Content-Type": "application/problem+json",
      "Cache-Control": "no-store",
      "Access-Control-Allow-Origin": "*",
      "Cross-Origin-Resource-Policy": "cross-origin",
      "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "no-referrer",
      ...headers,
    },
  });
}
