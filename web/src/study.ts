// A study's page: one session, one replayer, and the views that follow them.
import type { Page } from "./data";
import { startDesign } from "./designs/all";
import { find } from "./dom";
import { EnginePool } from "./engine/client";
import { engineFor } from "./engine/site";
import { Numbers } from "./numbers";
import { Replayer } from "./replay";
import { Session } from "./session";
import { subject } from "./subject";
import { startCertificate } from "./views/certificate";
import { followSections } from "./views/contents";
import { startDisclosures } from "./views/disclosures";
import { startDrawer } from "./views/drawer";
import { failure } from "./views/failure";
import { drawFigures } from "./views/figures";
import { startIntegrity } from "./views/integrity";
import { startReplayPanel } from "./views/replaypanel";

export function startStudy(data: Page): void {
  const session = new Session(data.study, data.needs, data.late ? data.vectors : [], new EnginePool(engineFor(data.design)));
  const replayer = new Replayer(session, data.vectors, data.parts);
  const numbers = new Numbers(data.texts);
  replayer.run.follow((run, before) => {
    if (run.kind === "done") numbers.update(run.outcome);
    else if (before.kind === "done") numbers.update(null);
  });
  startDisclosures(data, numbers);
  followSections();
  startReplayPanel(data, replayer, numbers);
  startIntegrity(data, session, replayer.run);
  startCertificate(session);
  subject.set({ session, numbers });
  startDrawer();
  try {
    const loadFigures = startDesign({ data, session, numbers });
    if (loadFigures !== null) drawFigures(loadFigures(), data, session, replayer.run);
  } catch (error) {
    find("live").replaceChildren(failure(error)); // what is no part of a design works all the same
  }
  prepareWhenIdle(session);
}

// The engine is fetched after the page has been shown, so that a press of Replay finds it ready; not where the reader
// asked to save data.
function prepareWhenIdle(session: Session): void {
  const connection = (navigator as Navigator & { connection?: { saveData?: boolean } }).connection;
  if (connection?.saveData === true) return;
  const prepare = (): void => {
    session.warm().catch(() => undefined); // the press of Replay reports what fails
  };
  if ("requestIdleCallback" in window) requestIdleCallback(prepare, { timeout: 2000 });
  else setTimeout(prepare, 300);
}
