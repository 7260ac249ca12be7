// Plays two machines together: both get the same target of virtual time, and the next target only
// after both have drawn the last one.

import type { Workbench } from "../controller";
import type { Side } from "./pair";

/** The parts of the pair that playback needs. */
interface PlaybackOf {
  readonly benches: readonly [Workbench, Workbench];
  readonly lead: () => Side;
  /** Virtual time per second, ns. */
  readonly pace_ns: () => number;
  /** The aligned step of the other machine: see the pair. */
  readonly followerStep: (step: number) => Promise<number | null | "time">;
  /** Both runs have ended. */
  readonly ended: () => void;
}

/** The longest time between two targets that advances virtual time, ms. */
const MOST_GAP_MS = 100;
/** Frames are counted over this time, ms. */
const COUNTED_MS = 1000;

/** Playback of both machines. */
export class Playback {
  readonly #of: PlaybackOf;
  #request: number | null = null;
  #last_ms = 0;
  #target_ns = 0;
  /** Both machines have received a target and not drawn it yet. */
  /** The leader's run has ended, and the other machine is at the aligned position. */
  #isAtEnd = false;
  #isUnderWay = false;
  readonly #drawn_ms: number[] = [];

  constructor(of: PlaybackOf) {
    this.#of = of;
  }

  /** Starts at the leader's position. */
  start() {
    this.stop();
    this.#target_ns = this.#leader().store.getState().session?.frame?.view.position.time_ns ?? 0;
    this.#last_ms = performance.now();
    this.#drawn_ms.length = 0;
    this.#isUnderWay = false;
    this.#isAtEnd = false;
    this.#request = requestAnimationFrame(this.#tick);
  }

  /** Stops playback; both machines stay at their present positions. */
  stop() {
    if (this.#request !== null) cancelAnimationFrame(this.#request);
    this.#request = null;
  }

  /** The number of targets that both machines have drawn in the last second. */
  get picturesPerSecond(): number {
    const now = performance.now();
    return this.#drawn_ms.filter((at) => now - at <= COUNTED_MS).length;
  }

  #leader() {
    const { benches, lead } = this.#of;
    return lead() === "a" ? benches[0] : benches[1];
  }

  #follower() {
    const { benches, lead } = this.#of;
    return lead() === "a" ? benches[1] : benches[0];
  }

  readonly #tick = () => {
    if (this.#of.benches.every(hasEnded) || this.#isAtEnd) {
      this.stop();
      return this.#of.ended();
    }
    this.#request = requestAnimationFrame(this.#tick);
    if (this.#isUnderWay) return;
    const now = performance.now();
    // A machine that cannot keep up continues from its present position instead of trying to catch
    // up.
    const gap_ms = Math.min(MOST_GAP_MS, now - this.#last_ms);
    this.#last_ms = now;
    this.#target_ns += (gap_ms / 1000) * this.#of.pace_ns();
    this.#advance(Math.round(this.#target_ns)).catch(() => this.#of.ended());
  };

  async #advance(time_ns: number) {
    this.#isUnderWay = true;
    try {
      const [leader, follower] = [this.#leader(), this.#follower()];
      const from = stepOf(leader);
      const aligned = await this.#of.followerStep(from);
      if (aligned === "time") {
        await Promise.all([advanced(leader, { time_ns }), advanced(follower, { time_ns })]);
      } else {
        await advanced(leader, { time_ns });
        const step = await this.#of.followerStep(stepOf(leader));
        if (step === "time") await advanced(follower, { time_ns });
        else if (step !== null && step > stepOf(follower)) await advanced(follower, { step });
        this.#isAtEnd = hasEnded(leader);
      }
      const now = performance.now();
      this.#drawn_ms.push(now);
      while (now - (this.#drawn_ms[0] ?? now) > COUNTED_MS) this.#drawn_ms.shift();
    } finally {
      this.#isUnderWay = false;
    }
  }
}

const positionOf = ({ store }: Workbench) => store.getState().session?.frame?.view.position;

const stepOf = (workbench: Workbench) => positionOf(workbench)?.step ?? 0;

const hasEnded = (workbench: Workbench) =>
  positionOf(workbench)?.ended === true || workbench.store.getState().trap !== null;

/** Sends a target and waits for its frame. */
function advanced(
  workbench: Workbench,
  target: { readonly step: number } | { readonly time_ns: number },
): Promise<void> {
  if (hasEnded(workbench)) return Promise.resolve();
  const { store } = workbench;
  const before = store.getState().session?.frame;
  return new Promise((resolve) => {
    const forget = store.subscribe(() => {
      const { session, trap } = store.getState();
      if (!trap && session?.frame === before) return;
      forget();
      resolve();
    });
    workbench.transport.advance(target);
  });
}
