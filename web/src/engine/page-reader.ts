// A reader of texts that the page starts itself, for pages without a workbench.

import { withModule } from "./module";
import type { ReaderPort } from "./reader";

/** Starts a worker with an instance that reads texts. */
export const startReader = (): ReaderPort =>
  withModule(new Worker(new URL("./worker/reader.worker.ts", import.meta.url), { type: "module" }));
