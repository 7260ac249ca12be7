// The result of a run up to the machine's position, read from an engine.

import type { Engine } from "./pkg/mmscope";
import type { Evidence } from "./protocol";
import type { RunReport } from "./report";

/** The result of a run so far, and what the result depends on. */
export function evidenceOf(engine: Engine, slot: number): Evidence {
  const { position, panic, counters } = engine.view(slot, undefined);
  return {
    position,
    hash: engine.hash(slot),
    panic: panic ?? null,
    counters,
    report: JSON.parse(engine.report(slot)) as RunReport,
    restsOn: engine.rests_on(slot),
  };
}
