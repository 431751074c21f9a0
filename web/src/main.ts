// A placeholder for the page: starts the engine, hands it the kit, asks once.
import { EnginePool, fetchKitIndex, isCancelled } from "./engine/client";
import { engineAssets, kitIndexUrl } from "./engine/site";

const pool = new EnginePool(engineAssets);
const status = document.getElementById("status");

function say(text: string): void {
  if (status !== null) status.textContent = text;
}

document.getElementById("replay")?.addEventListener("click", () => {
  say("starting");
  replay().catch((error: unknown) => say(isCancelled(error) ? "cancelled" : String(error)));
});
document.getElementById("cancel")?.addEventListener("click", () => pool.cancel());

async function replay(): Promise<void> {
  const index = await fetchKitIndex(kitIndexUrl);
  await pool.addFiles(kitIndexUrl, index.files, (done, total) => say(`${done} of ${total} bytes`));
  const { files } = await pool.request("ping", {});
  say(`the engine holds ${files} files`);
}
