// An access of a task to a page that was there, put together from its records: where the page lies, what
// that costs, and what the task waited for last because others use the same memory.

import { isOneOf, type Rec, type RecordName } from "../../engine/record";
import type { NodeView } from "../../engine/types";

const ACCESSES = ["AccessLocal", "AccessRemote"] as const;
const WAITS = ["MemoryBusy", "DirectionBusy", "LinkBusy"] as const;
const ACCESS_NAMES: ReadonlySet<(typeof ACCESSES)[number]> = new Set(ACCESSES);
const WAIT_NAMES: ReadonlySet<(typeof WAITS)[number]> = new Set(WAITS);

/** The records an access is told by. */
export const ACCESS_RECORDS: readonly RecordName[] = [...ACCESSES, ...WAITS];

/** One access. */
export interface Access {
  readonly task: number;
  /** Where the page lies, and what the access costs by itself. */
  readonly made: Rec<(typeof ACCESSES)[number]>;
  /** What the task last waited for at the end of a run of accesses; none so far. */
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

  /** The last access of a task; of nobody in particular the last there was. */
  of(task: number | null): Access | null {
    const whose = task ?? this.#latest;
    const made = whose === null ? undefined : this.#made.get(whose);
    if (whose === null || !made) return null;
    return { task: whose, made, waited: this.#waited.get(whose) ?? null };
  }
}

/** Something an access goes through that serves one after the other. */
export interface AccessQueue {
  readonly kind: "memory" | "direction" | "link";
  /** Node of the memory, and of the CPU. */
  readonly node: number;
  readonly from: number;
  /** How long an access that comes now waits for it, ns. */
  readonly queue_ns: number;
}

/** What an access of a CPU of node `from` to memory of `node` goes through, as busy as each is now. */
export function wayOf(
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
