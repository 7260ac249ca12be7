// An access of a task to a resident page, combined from its records: the node of the page, the
// cost, and the task's last wait for memory that other tasks use.

import { isOneOf, type Rec, type RecordName } from "../../engine/record";
import type { NodeView } from "../../engine/types";

const ACCESSES = ["AccessLocal", "AccessRemote"] as const;
const WAITS = ["MemoryBusy", "DirectionBusy", "LinkBusy"] as const;
const ACCESS_NAMES: ReadonlySet<(typeof ACCESSES)[number]> = new Set(ACCESSES);
const WAIT_NAMES: ReadonlySet<(typeof WAITS)[number]> = new Set(WAITS);

/** The kinds of records that describe an access. */
export const ACCESS_RECORDS: readonly RecordName[] = [...ACCESSES, ...WAITS];

/** One access. */
export interface Access {
  readonly task: number;
  /** The node of the page, and the cost without waiting. */
  readonly made: Rec<(typeof ACCESSES)[number]>;
  /** The task's last wait at the end of a run of accesses; null if there was none. */
  readonly waited: Rec<(typeof WAITS)[number]> | null;
}

/** Follows the accesses of all tasks. */
export class Accesses {
  readonly #made = new Map<number, Access["made"]>();
  readonly #waited = new Map<number, NonNullable<Access["waited"]>>();
  #latest: number | null = null;

  /** Takes the next record. */
  take(record: Rec): void {
    if (isOneOf(record, ACCESS_NAMES)) {
      this.#made.set(record.task, record);
      this.#latest = record.task;
    } else if (isOneOf(record, WAIT_NAMES)) this.#waited.set(record.task, record);
  }

  /** The last access of a task; for `null` the last of any task. */
  of(task: number | null): Access | null {
    const whose = task ?? this.#latest;
    const made = whose === null ? undefined : this.#made.get(whose);
    if (whose === null || !made) return null;
    return { task: whose, made, waited: this.#waited.get(whose) ?? null };
  }
}

/** A part of an access's path that serves one access at a time. */
export interface AccessQueue {
  readonly kind: "memory" | "direction" | "link";
  /** Node of the memory, and of the CPU. */
  readonly node: number;
  readonly from: number;
  /** How long a new access would wait for it, ns. */
  readonly queue_ns: number;
}

/** The queues between a CPU of node `from` and the memory of `node`, with their present delays. */
export function queuesBetween(
  nodes: readonly NodeView[],
  node: number,
  from: number,
): readonly AccessQueue[] {
  const memory = nodes.find(({ id }) => id === node)?.memory;
  if (!memory) return [];
  const own: AccessQueue = { kind: "memory", node, from, queue_ns: memory.queue_ns };
  const link = memory.links.find((each) => each.node === from);
  if (node === from || !link) return [own];
  return [
    own,
    { kind: "direction", node, from, queue_ns: link.direction_queue_ns },
    { kind: "link", node, from, queue_ns: link.link_queue_ns },
  ];
}
