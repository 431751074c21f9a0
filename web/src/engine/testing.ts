// The engine's client without the page, for tests in a browser: "build site --entry engine/testing.ts".
import { EnginePool, fetchKitIndex, filesOfStudy, isCancelled } from "./client";
import { engineAssets, kitIndexUrl } from "./site";

const testing = { EnginePool, engineAssets, fetchKitIndex, filesOfStudy, isCancelled, kitIndexUrl };
Object.assign(globalThis, { testing });
