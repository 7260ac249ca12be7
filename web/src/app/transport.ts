// Movement through the run: single steps, playback, and jumps.

import type { BackHow, EngineRequest, Goal } from "../engine/protocol";
import { paceAt, TEMPOS, type Tempo } from "./pace";
import type { Player } from "./play/player";
import { modeOf, type WorkbenchStore } from "./store";
import { TRANSPORT } from "./words";

/** The parts of the workbench that this module needs. */
export interface TransportBench {
  readonly send: (request: EngineRequest) => void;
  /** Announces a text in the live region. */
  readonly say: (words: string) => void;
  /** The user has acted on the open experiment. */
  readonly touch: () => void;
}

/** The transport of one workbench. */
export class Transport {
  readonly #store: WorkbenchStore;
  readonly #bench: TransportBench;
  readonly #player: Player;

  constructor(store: WorkbenchStore, bench: TransportBench, player: Player) {
    this.#store = store;
    this.#player = player;
    // Each request that moves the machine ends playback by events.
    this.#bench = {
      ...bench,
      touch: () => {
        player.stop();
        bench.touch();
      },
    };
  }

  /** Runs the followed task's next point, call or return. */
  step(how: "into" | "over" | "out") {
    this.#bench.touch();
    this.#bench.send({ kind: "step", how, followed: this.#store.getState().followed });
  }

  /** Takes one step, or one call, back. */
  back(how: BackHow) {
    this.#bench.touch();
    this.#bench.send({ kind: "back", how, followed: this.#store.getState().followed });
  }

  /** Plays, or pauses what is running. */
  toggle() {
    const mode = modeOf(this.#store.getState());
    if (mode === "paused") this.play();
    else if (mode !== "none") this.pause();
  }

  /** Plays at the chosen speed. */
  play() {
    const { session, tempo } = this.#store.getState();
    if (session?.frame?.view.position.ended) return this.#bench.say(TRANSPORT.ended);
    this.#bench.touch();
    if (tempo === "events") this.#player.play();
    else this.playByClock();
  }

  /** Plays a fixed amount of virtual time, or of steps, a second. */
  playByClock() {
    this.#bench.send({ kind: "play", pace: paceAt(this.#store.getState().paceIndex) });
  }

  /** Plays up to a target and waits there for the next target. */
  advance(target: { readonly step: number } | { readonly time_ns: number }) {
    this.#bench.send(
      "step" in target
        ? { kind: "advance", step: target.step, cause: "played" }
        : { kind: "advance-time", time_ns: target.time_ns },
    );
  }

  /** Stops at the current step. */
  pause() {
    this.#player.stop();
    this.#bench.send({ kind: "pause" });
  }

  /** Goes to the start of the run. */
  start() {
    this.seek({ kind: "start" });
  }

  /** Goes to the furthest point reached; if the machine is already there, runs to the end. */
  end() {
    const { session } = this.#store.getState();
    const frame = session?.frame;
    if (!frame) return;
    const { step } = frame.furthest;
    if (frame.view.position.step < step) this.seek({ kind: "step", step });
    else this.runToEnd();
  }

  /** Runs at full speed to the end, from the furthest point reached. */
  runToEnd() {
    const frame = this.#store.getState().session?.frame;
    if (!frame || frame.view.position.ended) return;
    const { step, ended } = frame.furthest;
    if (frame.view.position.step < step) this.seek({ kind: "step", step });
    this.#bench.touch();
    if (!ended) this.#bench.send({ kind: "end" });
  }

  /** Goes to a step or a time. */
  seek(goal: Goal) {
    this.#bench.touch();
    // A drag within the known run moves the playhead immediately. Beyond the known run, the clock
    // shows the progress.
    const known_ns = this.#store.getState().session?.frame?.furthest.time_ns ?? 0;
    const isKnown = goal.kind === "time" && goal.time_ns <= known_ns;
    this.#store.setState({ scrub_ns: isKnown ? goal.time_ns : null });
    this.#bench.send({ kind: "go", goal });
  }

  /** Chooses a clock speed by its index. */
  setPace(paceIndex: number) {
    this.#store.setState({ paceIndex });
    this.setTempo("clock");
  }

  /** Chooses a reading speed by its index. */
  setTempoIndex(index: number) {
    const tempoIndex = Math.min(TEMPOS.length - 1, Math.max(0, index));
    this.#store.setState({ tempoIndex });
    this.setTempo("events");
  }

  /** Chooses between events and clock; a running playback switches too. */
  setTempo(tempo: Tempo) {
    const was = this.#store.getState().tempo;
    this.#store.setState({ tempo });
    if (modeOf(this.#store.getState()) !== "playing") return;
    if (tempo === "clock") {
      this.#player.stop();
      this.playByClock();
    } else if (was !== tempo) this.#player.play();
  }

  /** Changes the speed that is in use. */
  faster(by: number) {
    const { tempo, tempoIndex, paceIndex } = this.#store.getState();
    if (tempo === "events") this.setTempoIndex(tempoIndex + by);
    else this.setPace(paceIndex + by);
  }
}
