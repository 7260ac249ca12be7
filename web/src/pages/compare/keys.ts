// The keyboard of the page that compares two machines.

import { useEffect } from "react";
import { commandIn } from "../../app/keys";
import type { Pair } from "../../app/pair/pair";
import { writeFragment } from "../../link/router";
import { GO_TO_ID, nearestSpeed, speedAt } from "./Transport";
import { KEYS } from "./words";

/** A command that a key starts. */
interface PairCommand {
  readonly keys: readonly string[];
  readonly does: string;
  readonly run: (pair: Pair, next: () => void) => void;
}

const faster = (by: number) => (pair: Pair) =>
  pair.setPace(speedAt(nearestSpeed(pair.store.getState().pace_ns || 1) + by));

/** All commands, in the order of the help. */
export const PAIR_COMMANDS: readonly PairCommand[] = [
  { keys: [" ", "F5", "l"], does: KEYS.toggle, run: (pair) => pair.toggle() },
  { keys: ["ArrowRight", "F11"], does: KEYS.step, run: (pair) => pair.step() },
  { keys: ["ArrowLeft", "Shift+F10"], does: KEYS.back, run: (pair) => pair.back() },
  { keys: ["d"], does: KEYS.next, run: (_, next) => next() },
  { keys: ["f"], does: KEYS.first, run: (pair) => pair.openDivergence() },
  { keys: ["Home"], does: KEYS.start, run: (pair) => pair.start() },
  { keys: ["End"], does: KEYS.end, run: (pair) => pair.end() },
  { keys: ["["], does: KEYS.slower, run: faster(-1) },
  { keys: ["]"], does: KEYS.faster, run: faster(1) },
  { keys: ["1"], does: KEYS.leadA, run: (pair) => pair.leadBy("a") },
  { keys: ["2"], does: KEYS.leadB, run: (pair) => pair.leadBy("b") },
  { keys: ["i"], does: KEYS.from, run: (pair) => pair.setEnd("from") },
  { keys: ["o"], does: KEYS.to, run: (pair) => pair.setEnd("to") },
  { keys: ["g"], does: KEYS.goTo, run: () => document.getElementById(GO_TO_ID)?.focus() },
  { keys: ["Shift+c"], does: KEYS.back_to_bench, run: backToBench },
];

/** Opens the machine that leads in the workbench. */
function backToBench(pair: Pair): void {
  const { packed } = pair[pair.store.getState().lead].store.getState();
  location.hash = writeFragment({ page: "workbench", x: packed });
}

/** Listens to the keys while the page is shown. */
export function usePairKeys(pair: Pair, next: () => void): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      // Function keys belong to the browser unless something of the page has the focus.
      const isFree = document.activeElement === document.body;
      if (/^F\d+$/.test(event.key) && isFree) return;
      const command = commandIn(PAIR_COMMANDS, event);
      if (!command) return;
      event.preventDefault();
      command.run(pair, next);
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, [pair, next]);
}
