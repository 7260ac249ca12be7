// Breakpoints and searches.

import type { Condition, EngineRequest, Found, Frame } from "../engine/protocol";
import { narrate } from "./narration";
import { knownOf, modeOf, type WorkbenchStore } from "./store";
import { type Breakpoint, idOf, resolve, stopPoints, type Watch, watchWords } from "./watch";
import { STOPS } from "./words";

/** The most breakpoints that a link accepts. */
const MOST = 32;

/** The parts of the workbench that this module needs. */
export interface Bench {
  readonly send: (request: EngineRequest) => void;
  /** Announces a text in the live region. */
  readonly say: (words: string) => void;
  /** The user has acted on the open experiment. */
  readonly touch: () => void;
  /** Saves the address and the draft. */
  readonly save: () => void;
}

/** The breakpoints of one workbench. */
export class Stops {
  readonly #store: WorkbenchStore;
  readonly #bench: Bench;
  /** The engine has the breakpoints; their names can be resolved only after its first frame. */
  #isArmed = false;
  /** The value that was traced back last, and the step at which its change was found. */
  #traced: { readonly id: string; readonly step: number; readonly watch: Watch } | null = null;

  constructor(store: WorkbenchStore, bench: Bench) {
    this.#store = store;
    this.#bench = bench;
  }

  /** Another machine was opened. */
  forget() {
    this.#isArmed = false;
  }

  /** Sends the breakpoints to the engine after its first frame. */
  arm() {
    if (this.#isArmed) return;
    this.#isArmed = true;
    this.#send();
  }

  /** Adds a breakpoint, or removes an equal one. */
  toggle(watch: Watch, condition: Condition | null = null) {
    const { breakpoints } = this.#store.getState();
    const added = { watch, condition, isOn: true, stops: 0 };
    const rest = breakpoints.filter((other) => idOf(other) !== idOf(added));
    if (rest.length < breakpoints.length) return this.#set(rest);
    if (breakpoints.length === MOST) return this.#bench.say(STOPS.tooMany(MOST));
    this.#set([...rest, added]);
  }

  /** Adds a breakpoint at the next line of the shown task, or removes it. */
  toggleHere() {
    const known = knownOf(this.#store.getState());
    const frame = known?.view.stack[0];
    const name = frame && known?.catalog.functions[frame.function]?.name;
    if (frame && name) this.toggle({ kind: "line", name, line: frame.line });
  }

  /** Switches one breakpoint on or off. */
  flip(id: string) {
    const { breakpoints } = this.#store.getState();
    this.#set(breakpoints.map((b) => (idOf(b) === id ? { ...b, isOn: !b.isOn } : b)));
  }

  #set(breakpoints: readonly Breakpoint[]) {
    this.#bench.touch();
    this.#store.setState({ breakpoints });
    this.#send();
    this.#bench.save();
  }

  #send() {
    const known = knownOf(this.#store.getState());
    if (!known) return;
    const points = stopPoints(this.#store.getState().breakpoints, known);
    this.#bench.send({ kind: "breakpoints", points });
  }

  /** Goes to the next or the previous hit of a breakpoint. */
  find(what: "next" | "previous") {
    const state = this.#store.getState();
    if (modeOf(state) !== "paused") return;
    if (!state.breakpoints.some(({ isOn }) => isOn)) {
      this.#store.setState({ sideTab: "stops" });
      return this.#bench.say(STOPS.noneOn);
    }
    this.#bench.touch();
    this.#bench.send({ kind: "find", what });
  }

  /** Goes back to the last change of a value; when repeated, to the change before. */
  lastChange(watch: Watch) {
    const known = knownOf(this.#store.getState());
    const watched = known && resolve(watch, known);
    if (!watched || modeOf(this.#store.getState()) !== "paused") return;
    const { step } = known.view.position;
    const id = idOf({ watch, condition: null });
    const isHere = this.#traced?.id === id && this.#traced.step === step;
    this.#bench.touch();
    this.#traced = { id, step: -1, watch };
    this.#bench.send({ kind: "last-change", watched, until: isHere ? step - 1 : step });
  }

  /** Reports the result of a search. */
  hear(frame: Frame, { what, id }: Found) {
    if (what === "change") return this.#hearChange(frame, id !== null);
    const { breakpoints } = this.#store.getState();
    const hit = breakpoints.find((b) => idOf(b) === id);
    if (!hit) {
      return this.#notice(what === "next" ? STOPS.noneAhead : STOPS.noneBefore);
    }
    this.#store.setState({
      hit: idOf(hit),
      breakpoints: breakpoints.map((b) => (b === hit ? { ...b, stops: b.stops + 1 } : b)),
    });
    this.#bench.say(`${watchWords(hit.watch, taskIn(frame))}. ${narrate(frame)}`);
  }

  #hearChange(frame: Frame, isFound: boolean) {
    if (!this.#traced) return;
    const subject = watchWords(this.#traced.watch, taskIn(frame));
    if (!isFound) return this.#notice(STOPS.notBefore(subject));
    this.#traced = { ...this.#traced, step: frame.view.position.step };
    this.#bench.say(`${subject}. ${narrate(frame)}`);
  }

  #notice(text: string) {
    this.#store.setState({ notice: { text, undo: null } });
    this.#bench.say(text);
  }
}

const taskIn =
  ({ view: { tasks } }: Frame) =>
  (id: number) =>
    tasks.find((task) => task.id === id)?.name ?? `task ${id}`;
