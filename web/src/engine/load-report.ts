// The engine on the page's main thread, for scoring reports: calls are rare and return immediately.

import { engineModule } from "./module";
import { once } from "./once";
import init, { score_table } from "./pkg/mmscope";
import type { Reporter } from "./report";

/** An instance of the module. */
export const loadReporter = once(async (): Promise<Reporter> => {
  await init({ module_or_path: await engineModule() });
  return { score_table };
});
