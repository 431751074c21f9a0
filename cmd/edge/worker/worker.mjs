// The edge's entry point: the API goes to the Go program, everything else is the static site.
import { answer } from "./engine.mjs";
import { receive } from "./receive.mjs";
import { problem } from "./problem.mjs";
import { serve } from "./static.mjs";

export default {
  async fetch(request, env) {
    const { pathname } = new URL(request.url);
    try {
      if (!pathname.startsWith("/v1/") && !pathname.startsWith("/badge/")) return await serve(request, env);
      const received = await receive(request, env.RECEIVE_MILLISECONDS);
      return received instanceof Response ? received : await answer(received, env);
    } catch (error) {
      console.error(error);
      return problem(request, "fault", 500, "The program is at fault", String(error), "please report this with the request that caused it");
    }
  },
};
