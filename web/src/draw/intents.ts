// Decisions of the last step about moving a task closer to its memory: moves, exchanges of two
// tasks, and refusals.

import type { LogField, View } from "../engine/types";

/** The move that a decision proposes, as an arc between CPUs. */
export interface Intent {
  readonly task: number;
  readonly from: number;
  /** A CPU, or a node if none of its CPUs was chosen. */
  readonly to: { readonly cpu: number } | { readonly node: number };
  /** Whether the move does not happen, or does not happen yet. */
  readonly isRefused: boolean;
}

/** The fields of a decision that are used here. */
interface Placing {
  readonly name: string;
  readonly fields: readonly Pick<LogField, "name" | "value">[];
}

/** Decisions for a move to a CPU. */
const GOES: readonly string[] = [
  "NumaMove",
  "NumaMoveByLoad",
  "NumaSwap",
  "NumaGoes",
  "NumaFlips",
  "SpreadGo",
  "CompressGo",
  "OverloadGo",
  "IntranodeGo",
  "PrivateGo",
  "BuddiesGo",
  "IdleGo",
];
/** Decisions that two tasks exchange their CPUs. */
const FLIPS: readonly string[] = ["NumaSwap", "NumaFlips", "AutoExchange"];
/** Decisions against a move, and the field that contains its target. */
const REFUSED: Readonly<Record<string, "cpu" | "node" | "preferred">> = {
  NumaProposed: "cpu",
  NumaCannotGo: "cpu",
  NumaStick: "preferred",
  SpreadNoRoom: "node",
  CompressTooLarge: "node",
  PrivateNoRoom: "node",
  BalanceShared: "cpu",
  BalanceConverged: "cpu",
  BalanceBuddy: "cpu",
  NumaTooUneven: "cpu",
  BalancePlaced: "cpu",
};

/** The arcs of all decisions of a moment, each once. */
export function intentsOf({
  placing,
  tasks,
}: {
  readonly placing: readonly Placing[];
  readonly tasks: readonly Pick<View["tasks"][number], "id" | "cpu">[];
}): readonly Intent[] {
  const cpuOf = (task: number) => tasks.find(({ id }) => id === task)?.cpu;
  // A CPU must be proposed a second time before the task moves.
  const waits = placing.some(({ name }) => name === "NumaProposed");
  const found: Intent[] = [];
  const add = (task: number | null, to: Intent["to"] | null, isRefused: boolean) => {
    const from = task === null ? undefined : cpuOf(task);
    if (task === null || to === null || from === undefined) return;
    if ("cpu" in to && to.cpu === from) return;
    const isKnown = found.some((each) => each.task === task && isSame(each.to, to));
    if (!isKnown) found.push({ task, from, to, isRefused });
  };
  for (const decision of placing) {
    const field = (fieldName: string) => numberOf(decision, fieldName);
    const [task, cpu] = [field("task"), field("cpu")];
    if (GOES.includes(decision.name)) add(task, cpu === null ? null : { cpu }, waits);
    if (FLIPS.includes(decision.name)) {
      const here = task === null ? undefined : cpuOf(task);
      const other = field("other");
      add(other, here === undefined ? null : { cpu: here }, waits);
      // AutoNUMA records only the other task.
      const there = other === null || cpu !== null ? undefined : cpuOf(other);
      if (there !== undefined) add(task, { cpu: there }, waits);
    }
    const where = REFUSED[decision.name];
    const value = where ? field(where) : null;
    if (where && value !== null)
      add(task, where === "cpu" ? { cpu: value } : { node: value }, true);
  }
  return found;
}

function numberOf({ fields }: Placing, fieldName: string): number | null {
  const value = fields.find(({ name }) => name === fieldName)?.value;
  return typeof value === "number" ? value : null;
}

const isSame = (a: Intent["to"], b: Intent["to"]): boolean =>
  "cpu" in a ? "cpu" in b && a.cpu === b.cpu : "node" in b && a.node === b.node;
