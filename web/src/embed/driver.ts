// Moves one workbench for its host: opens experiments, goes to moments, and reports each moment at
// rest.

import type { Workbench } from "../app/controller";
import { modeOf, type WorkbenchState } from "../app/store";
import type { Refusal } from "../engine/types";
import { writeFragment } from "../link/router";
import type { Experiment, Moment, State } from "./api";
import { readExperiment } from "./experiment";
import { words } from "./words";

/** Drives one workbench. */
export class Driver {
  readonly #workbench: Workbench;
  readonly #listeners = new Set<(state: State) => void>();
  readonly #forget: () => void;
  /** The moment that the listeners were last notified of. */
  #reported = "";
  /** The number of the host's moves in progress. */
  #moves = 0;
  /** The number of requested experiments; an older request no longer moves the machine. */
  #opened = 0;
  /** Counts the moments and experiments that the host requested. */
  #asked = 0;

  constructor(workbench: Workbench) {
    this.#workbench = workbench;
    this.#forget = workbench.store.subscribe((state, before) => {
      if (state.session?.frame !== before.session?.frame && this.#listeners.size > 0) {
        this.#report().catch(() => {});
      }
    });
  }

  /** Opens an experiment; throws an error with the reasons if it is refused. */
  open(experiment: Experiment, at?: Moment): Promise<State> {
    this.#opened += 1;
    this.#asked += 1;
    const mine = this.#opened;
    return this.#move(async () => {
      const { engine } = await this.#when(({ engine }) => engine.kind === "ready");
      const presets = engine.kind === "ready" ? engine.presets : {};
      const asked = readExperiment(experiment, presets);
      if (!asked.ok) throw new Error(asked.fault);
      const refusals = await this.#workbench.bring(asked.link, "file");
      if (refusals.length > 0) throw new Error(reasons(refusals));
      if (at !== undefined && mine === this.#opened) await this.#goTo(at);
      return this.state();
    });
  }

  /** Goes to a moment and returns it. */
  go(at: Moment): Promise<State> {
    return this.#move(async () => {
      await this.#goTo(at);
      return this.state();
    });
  }

  /** The next moment at rest. */
  async state(): Promise<State> {
    for (;;) {
      await this.#atRest();
      const { hash, position } = await this.#workbench.ask({ kind: "hash" });
      const { session } = this.#workbench.store.getState();
      // The machine may have moved while the engine answered.
      if (session?.frame?.view.position.step !== position.step) continue;
      const { step, time_ns, ended } = position;
      const { experiment, info } = session;
      return { title: info.title, experiment, step, time_ns, ended, hash };
    }
  }

  /** The fragment of a link to the present moment. */
  async link(): Promise<string> {
    await this.#atRest();
    const x = await this.#workbench.saving.now();
    return writeFragment({ page: "workbench", x });
  }

  /** Calls back whenever the machine comes to rest at a moment. */
  onState(listener: (state: State) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Ends the engine. */
  destroy(): void {
    this.#forget();
    this.#listeners.clear();
    this.#workbench.dispose();
  }

  /** Goes to a moment, unless the host opens or asks for another one meanwhile. */
  async #goTo(at: Moment): Promise<void> {
    this.#asked += 1;
    const mine = this.#asked;
    await this.#atRest();
    if (mine !== this.#asked) return;
    const { transport } = this.#workbench;
    if (at !== "end") {
      const step = at === "start" ? 0 : at;
      transport.seek({ kind: "step", step });
      await this.#arrival(() => this.#position()?.step === step);
      return;
    }
    // The user may stop the run before its end.
    while (mine === this.#asked && !this.#position()?.ended) {
      transport.runToEnd();
      await this.#arrival(() => this.#position()?.ended === true || mine !== this.#asked);
    }
  }

  /**
   * Moves the machine for the host. Listeners are notified of the final moment, not of moments in
   * between.
   */
  async #move(work: () => Promise<State>): Promise<State> {
    this.#moves += 1;
    let state: State;
    try {
      state = await work();
    } finally {
      this.#moves -= 1;
    }
    this.#tell(state);
    return state;
  }

  async #report(): Promise<void> {
    const isAtRest = () =>
      this.#moves === 0 && modeOf(this.#workbench.store.getState()) === "paused";
    if (!isAtRest()) return;
    const state = await this.state();
    if (isAtRest()) this.#tell(state);
  }

  #tell(state: State): void {
    const moment = `${state.hash} ${state.step} ${state.experiment}`;
    if (this.#moves > 0 || moment === this.#reported) return;
    this.#reported = moment;
    for (const listener of this.#listeners) listener(state);
  }

  #atRest(): Promise<WorkbenchState> {
    return this.#when((state) => modeOf(state) === "paused");
  }

  #position() {
    return this.#workbench.store.getState().session?.frame?.view.position;
  }

  /** Waits until the machine is at rest at its goal, or at rest elsewhere after it has moved. */
  #arrival(isThere: () => boolean): Promise<WorkbenchState> {
    const before = this.#workbench.store.getState().session?.frame;
    return this.#when((state) => {
      const frame = state.session?.frame;
      const hasMoved = frame !== before && frame?.cause !== "view";
      return modeOf(state) === "paused" && (hasMoved || isThere());
    });
  }

  /** Waits for a state; rejects if the engine cannot reach any. */
  #when(holds: (state: WorkbenchState) => boolean): Promise<WorkbenchState> {
    const { store } = this.#workbench;
    return new Promise((resolve, reject) => {
      let forget = () => {};
      const look = () => {
        const state = store.getState();
        const fault = faultOf(state);
        if (fault === null && !holds(state)) return;
        forget();
        if (fault === null) resolve(state);
        else reject(new Error(fault));
      };
      forget = store.subscribe(look);
      look();
    });
  }
}

const reasons = (refusals: readonly Refusal[]): string =>
  refusals.map(({ path, reason }) => words.refusal(path, reason)).join("\n");

function faultOf({ engine, trap }: WorkbenchState): string | null {
  if (engine.kind === "unavailable") return words.notStarted(engine.message);
  return trap && trap.why !== "silent" ? words.stopped(trap.message) : null;
}
