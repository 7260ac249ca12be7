// Moving through the run: step by step, playing, and going elsewhere at once.

import type { BackHow, EngineRequest, Goal } from "../engine/protocol";
import { paceAt, TEMPOS, type Tempo } from "./pace";
import type { Player } from "./play/player";
import { modeOf, type WorkbenchStore } from "./store";

/** What it needs of the workbench. */
export interface TransportBench {
  readonly send: (request: EngineRequest) => void;
  /** Says something to whoever listens. */
  readonly say: (words: string) => void;
  /** The person has acted on what is open. */
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
    // Whatever takes the machine elsewhere ends what the player had in mind.
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

  /** Plays, or pauses what runs. */
  toggle() {
    const mode = modeOf(this.#store.getState());
    if (mode === "paused") this.play();
    else if (mode !== "none") this.pause();
  }

  /** Plays at the chosen speed. */
  play() {
    const { session, tempo } = this.#store.getState();
    if (session?.frame?.view.position.ended)
      return this.#bench.say("The run has ended. Go back to play.");
    this.#bench.touch();
    if (tempo === "events") this.#player.play();
    else this.playByClock();
  }

  /** Plays so much virtual time a second, or steps. */
  playByClock() {
    this.#bench.send({ kind: "play", pace: paceAt(this.#store.getState().paceIndex) });
  }

  /** Stops where it is. */
  pause() {
    this.#player.stop();
    this.#bench.send({ kind: "pause" });
  }

  /** Goes to the start of the run. */
  start() {
    this.seek({ kind: "start" });
  }

  /** Goes to the furthest point reached, or runs on to the end from there. */
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
    // The playhead is where it is put. Where nobody has been yet the clock counts the way instead.
    const known_ns = this.#store.getState().session?.frame?.furthest.time_ns ?? 0;
    const isKnown = goal.kind === "time" && goal.time_ns <= known_ns;
    this.#store.setState({ scrub_ns: isKnown ? goal.time_ns : null });
    this.#bench.send({ kind: "go", goal });
  }

  /** Chooses a speed of the clock by its index. */
  setPace(paceIndex: number) {
    this.#store.setState({ paceIndex });
    this.setTempo("clock");
  }

  /** Chooses how much faster than it takes to read, by its index. */
  setTempoIndex(index: number) {
    const tempoIndex = Math.min(TEMPOS.length - 1, Math.max(0, index));
    this.#store.setState({ tempoIndex });
    this.setTempo("events");
  }

  /** Chooses how speed is chosen; what plays goes on with it. */
  setTempo(tempo: Tempo) {
    const was = this.#store.getState().tempo;
    this.#store.setState({ tempo });
    if (modeOf(this.#store.getState()) !== "playing") return;
    if (tempo === "clock") {
      this.#player.stop();
      this.playByClock();
    } else if (was !== tempo) this.#player.play();
  }

  /** Slower or faster, by whatever speed is chosen. */
  faster(by: number) {
    const { tempo, tempoIndex, paceIndex } = this.#store.getState();
    if (tempo === "events") this.setTempoIndex(tempoIndex + by);
    else this.setPace(paceIndex + by);
  }
}
