// Converts the log for the engine's printer of trace files.

import { NOTHING } from "../engine/record";
import type { Info, LogEntry, LogField } from "../engine/types";
import { FTRACE } from "./words";

/** The parts of the trace's context that are needed. */
type Of = Pick<
  Info,
  "experiment" | "workload" | "kernel" | "machine" | "seed" | "zone_types" | "pageblock_order"
>;

/** A zone's number from its node and its index in the node: "1/DMA32" is 256 + 1. */
function zoneNumber(of: Of, key: string): number {
  const [node = "0", type = ""] = key.split("/");
  return 256 * Number(node) + Math.max(0, of.zone_types.indexOf(type));
}

function numberOf(of: Of, { kind, value, text }: LogField): number {
  if (value === null) return NOTHING;
  return kind === "zone" ? zoneNumber(of, text) : Number(value);
}

/**
 * Events in the form that the engine's `print_ftrace` reads. For scripts the flags column is left
 * out, because some of the kernel's own scripts cannot read it.
 */
export function ftraceJson(events: readonly LogEntry[], of: Of, forScripts = false): string {
  const id = of.experiment || of.workload;
  return JSON.stringify({
    about: FTRACE.about(id, of.kernel, of.machine, of.seed),
    for_scripts: forScripts,
    zone_types: of.zone_types,
    pageblock_order: of.pageblock_order,
    // A kernel's trace has no decisions.
    events: events
      .filter(({ isDecision }) => !isDecision)
      .map(({ name, time_ns, cpu, taskName, pid, fields }) => [
        name,
        time_ns,
        cpu,
        taskName,
        pid,
        ...fields.map((field) => numberOf(of, field)),
      ]),
  });
}
