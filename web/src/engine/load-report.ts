// Loading what makes a report's rows and scores them: the engine's third module, on the page itself,
// because it is asked seldom and answers at once.

import initProcfs, { report_rows, score_table } from "./pkg/mmscope_procfs";
import procfsUrl from "./pkg/mmscope_procfs_bg.wasm?url";
import type { Reporter } from "./report";

let loading: Promise<Reporter> | undefined;

/** The module, loaded once; when that fails the next who asks tries again. */
export function loadReporter(): Promise<Reporter> {
  loading ??= initProcfs({ module_or_path: procfsUrl }).then(
    () => ({ report_rows, score_table }),
    (error) => {
      loading = undefined;
      throw error;
    },
  );
  return loading;
}
