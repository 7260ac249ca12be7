// The engine on the page itself, for what scores a report: it is asked seldom and answers at once.

import { engineModule } from "./module";
import init, { score_table } from "./pkg/mmscope";
import type { Reporter } from "./report";

let loading: Promise<Reporter> | undefined;

/** An instance of the module, made once; when that fails the next who asks tries again. */
export function loadReporter(): Promise<Reporter> {
  loading ??= engineModule()
    .then((module) => init({ module_or_path: module }))
    .then(
      () => ({ score_table }),
      (error) => {
        loading = undefined;
        throw error;
      },
    );
  return loading;
}
