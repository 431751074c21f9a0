// A study's page: one session, one replayer, and the views that follow them.
import { drawFigures } from "./views/figures";
import type { Embedded } from "./data";
import { Numbers } from "./numbers";
import { Replayer } from "./replay";
import { Session } from "./session";
import { subject } from "./subject";
import { startAsk } from "./views/ask";
import { startCertificate } from "./views/certificate";
import { followSections } from "./views/contents";
import { startDisclosures } from "./views/disclosures";
import { startDrawer } from "./views/drawer";
import { startIntegrity } from "./views/integrity";
import { startQuestions } from "./views/questions";
import { startNeeds } from "./views/needs";
import { startTasks } from "./views/tasks";
import { startReplayPanel } from "./views/replaypanel";

export function startStudy(data: Embedded): void {
  const session = new Session(data.study, data.needs, data.late ? data.vectors : []);
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
  if (data.known !== null) {
    startQuestions(session, data.known, data.methods);
    startAsk(session, data.methods);
  }
  if (data.graded !== null) startTasks(session, data.graded, data.methods, numbers);
  if (data.binary !== null) {
    startNeeds(session, data.binary, numbers);
    startAsk(session, data.methods);
  }
  if (data.known !== null || data.graded !== null || data.binary !== null) drawFigures(data, session, replayer.run);
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
