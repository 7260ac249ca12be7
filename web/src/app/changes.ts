// Undo and redo: restores experiments that another one has replaced.

import type { PendingOpen } from "./pending-open";
import { setupOf } from "./setup";
import type { Left, WorkbenchStore } from "./store";
import { CHANGES } from "./words";

/** How many changes can be undone. */
const MOST_LEFT = 50;

/** The parts of the workbench that this module needs. */
export interface ChangesBench {
  /** Sends an experiment to the engine. */
  readonly open: (pending: PendingOpen) => void;
}

/** The changes of one workbench. */
export class Changes {
  readonly #store: WorkbenchStore;
  readonly #bench: ChangesBench;

  constructor(store: WorkbenchStore, bench: ChangesBench) {
    this.#store = store;
    this.#bench = bench;
  }

  /** Opens the experiment that the last change replaced, at its step. */
  undo() {
    this.#travel("past", "future");
  }

  /** Opens the experiment that undo replaced. */
  redo() {
    this.#travel("future", "past");
  }

  #travel(from: "past" | "future", to: "past" | "future") {
    const state = this.#store.getState();
    const target = state[from].at(-1);
    const present = this.present(target?.setup != null);
    if (!target || !present) return;
    const { json, step, setup, result } = target;
    const goal = { kind: "step", step } as const;
    this.#bench.open({ json, goal, source: "choice", setup, result, leaving: null });
    this.#store.setState({
      [from]: state[from].slice(0, -1),
      [to]: [...state[to], present].slice(-MOST_LEFT),
      notice:
        to === "future"
          ? { text: CHANGES.undone, undo: "redo" }
          : { text: CHANGES.redone, undo: "undo" },
    });
  }

  /** The open experiment, with the setup around it if the setup is about to be reset. */
  present(withSetup: boolean): Left | null {
    const state = this.#store.getState();
    const { session, result } = state;
    if (!session?.frame) return null;
    const { step } = session.frame.view.position;
    return { json: session.experiment, step, setup: withSetup ? setupOf(state) : null, result };
  }

  /**
   * Another experiment was opened: undo can restore the replaced one, and redo has nothing left.
   */
  replaced(left: Left | null) {
    if (!left) return;
    const { past } = this.#store.getState();
    this.#store.setState({ past: [...past, left].slice(-MOST_LEFT), future: [] });
  }
}
