// Two machines that move together. One machine leads: a step or a jump moves the leader, then the
// other machine goes to the aligned position. Each machine has its own worker, log and story.

import { createStore, type StoreApi } from "zustand/vanilla";
import { type Port, startEngine } from "../../engine/client";
import { type Heard, LastAsked } from "../../engine/last-asked";
import { MeasureClient, startMeasure } from "../../engine/measure-client";
import { CHECKPOINT_MIB, type Frame, type Goal } from "../../engine/protocol";
import type { Catalog, Position, Refusal } from "../../engine/types";
import type { Link } from "../../link/link";
import { Workbench } from "../controller";
import { modeOf, type Session } from "../store";
import { PAIR } from "../words";
import { type Alignment, BY_TIME, countedBy } from "./alignment";
import { Axis } from "./axis";
import { type Divergence, findDivergence, type ReadDecisions, readDecisions } from "./divergence";
import { Playback } from "./playback";

/** One of the two machines. */
export type Side = "a" | "b";

const SIDES: readonly Side[] = ["a", "b"];

/** The other one. */
export const otherSide = (side: Side): Side => (side === "a" ? "b" : "a");

/** A step of each run. */
export type SideSteps = Readonly<Record<Side, number>>;

/** A moment of one run. */
interface SideMoment {
  readonly position: Position;
  /** The values of all counters, by name. */
  readonly counters: readonly (readonly [string, number])[];
}

/** A moment of both runs. */
export type PairMoment = Readonly<Record<Side, SideMoment>>;

/** The state that both machines share. */
export interface PairState {
  readonly alignment: Alignment;
  readonly lead: Side;
  readonly isPlaying: boolean;
  /** Virtual time per second of playback, ns. */
  readonly pace_ns: number;
  readonly divergence: Divergence;
  /** The beginning and the end of the range that is compared; null: the start, the present. */
  readonly from: PairMoment | null;
  readonly to: PairMoment | null;
  /** The reason why the machines could not be aligned, or a notice about the last event. */
  readonly notice: string;
  /** Why the experiment that a link or the user chose for a side did not open. */
  readonly faults: Readonly<Record<Side, readonly Refusal[]>>;
}

/**
 * Memory for the checkpoints of each machine, MiB: both together use as much as a single machine.
 */
const PAIR_MIB = CHECKPOINT_MIB / 2;
/** The default speed plays a run in about this many seconds; the user can choose another speed. */
const USUAL_PLAY_S = 20;

const NO_FAULTS: PairState["faults"] = { a: [], b: [] };

const NO_DIVERGENCE: Divergence = { kind: "unknown" };

/** Dependencies that a test replaces. */
interface PairParts {
  readonly start?: () => Port;
  readonly startMeasuring?: typeof startMeasure;
}

/** Two machines side by side. */
export class Pair {
  readonly a: Workbench;
  readonly b: Workbench;
  readonly store: StoreApi<PairState>;
  readonly #startMeasuring: typeof startMeasure;
  readonly #moves = new LastAsked();
  readonly #searches = new LastAsked();
  readonly #visits = new LastAsked();
  readonly #playback: Playback;
  /** The machines were sent to separate moments, or one has just been opened. */
  #isFree = true;
  /** The leader's frame that the other machine has followed. */
  #followed: Frame | null = null;
  readonly #forget: readonly (() => void)[];
  #axes: { readonly a: Axis; readonly b: Axis } | null = null;

  constructor({
    start = () => startEngine(PAIR_MIB),
    startMeasuring = startMeasure,
  }: PairParts = {}) {
    this.a = new Workbench(start, { ownsAddress: false });
    this.b = new Workbench(start, { ownsAddress: false });
    this.#startMeasuring = startMeasuring;
    this.store = createStore<PairState>(() => ({
      alignment: BY_TIME,
      lead: "a",
      isPlaying: false,
      pace_ns: 0,
      divergence: NO_DIVERGENCE,
      from: null,
      to: null,
      notice: "",
      faults: NO_FAULTS,
    }));
    this.#forget = SIDES.map((side) => this[side].store.subscribe(() => this.#hear(side)));
    this.#playback = new Playback({
      benches: [this.a, this.b],
      pace_ns: () => this.store.getState().pace_ns,
      followerStep: (step) => this.#followerStep(step),
      lead: () => this.store.getState().lead,
      ended: () => this.pause(),
    });
  }

  /** Ends both workers. */
  dispose() {
    this.#stopAll();
    for (const forget of this.#forget) forget();
    this.a.dispose();
    this.b.dispose();
  }

  // ---- opening

  /** Opens an experiment or a moment on one side; returns the refusals of the engine. */
  async open(side: Side, link: Link): Promise<readonly Refusal[]> {
    this.#stopAll();
    this.#isFree = true;
    const refusals = await this[side].bring(link, "library");
    if (refusals.length > 0) return refusals;
    this.store.setState({ divergence: NO_DIVERGENCE, from: null, to: null, notice: "" });
    this.setFault(side, []);
    const length_ns = this[side].store.getState().session?.info.length_ns;
    if (length_ns && this.store.getState().pace_ns === 0)
      this.store.setState({ pace_ns: length_ns / USUAL_PLAY_S });
    return [];
  }

  /** Shows why a side did not open; empty once it has. */
  setFault(side: Side, refusals: readonly Refusal[]) {
    this.store.setState(({ faults }) => ({ faults: { ...faults, [side]: refusals } }));
  }

  /** The experiments of both machines, as JSON; null until both are open. */
  experiments(): readonly [string, string] | null {
    const sessions = this.#sessions();
    return sessions && [sessions[0].experiment, sessions[1].experiment];
  }

  // ---- choices

  /** Sets the alignment of the runs, and aligns them. */
  align(alignment: Alignment) {
    this.#closeAxes();
    this.store.setState({ alignment, notice: "" });
    this.realign();
  }

  /** Chooses which machine leads. */
  leadBy(lead: Side) {
    this.#moves.stop();
    this.#isFree = true;
    this.store.setState({ lead });
  }

  /** Chooses the speed, in virtual time per second. */
  setPace(pace_ns: number) {
    this.store.setState({ pace_ns });
  }

  /** Sets one end of the range to the present moment, or to its initial value. */
  setEnd(end: "from" | "to", moment: PairMoment | null = this.moment()) {
    this.store.setState({ [end]: moment });
  }

  /**
   * Sets the ends of the range to moments of which only the steps are known: goes to each to read its
   * counters, and returns. Any other movement ends this.
   */
  async setEnds(ends: Readonly<Record<"from" | "to", SideSteps | null>>): Promise<void> {
    await this.#visits.ask(async (heard) => {
      await heard(this.#atRest(null));
      const back = this.moment();
      if (!back) return;
      for (const end of ["from", "to"] as const) {
        const steps = ends[end];
        if (!steps) continue;
        this.#goTo(steps);
        await heard(this.#atRest(steps));
        this.setEnd(end);
      }
      const steps = { a: back.a.position.step, b: back.b.position.step };
      this.#goTo(steps);
      await heard(this.#atRest(steps));
    });
  }

  /** Resolves when each machine rests at its step, or at the end of its run before; null: anywhere. */
  #atRest(steps: SideSteps | null): Promise<void> {
    const isThere = (side: Side) => {
      const state = this[side].store.getState();
      const position = positionOf(this[side]);
      if (state.trap) return true;
      if (modeOf(state) !== "paused" || !position) return false;
      if (!steps) return true;
      return position.step === steps[side] || (position.ended && position.step < steps[side]);
    };
    return new Promise((resolve) => {
      const look = () => {
        if (!SIDES.every(isThere)) return;
        for (const forget of forgets) forget();
        resolve();
      };
      const forgets = SIDES.map((side) => this[side].store.subscribe(look));
      look();
    });
  }

  /** The present positions; null until both are open. */
  moment(): PairMoment | null {
    const sessions = this.#sessions();
    if (!sessions) return null;
    const [a, b] = sessions.map(momentOf);
    return a && b ? { a, b } : null;
  }

  // ---- movement

  /** Executes the next line of the leader. */
  step() {
    this.#lead((leader) => leader.transport.step("into"));
  }

  /** Takes one step of the leader back. */
  back() {
    this.#lead((leader) => leader.transport.back("step"));
  }

  /** Sends the leader to a step or a time. */
  seek(goal: Goal) {
    this.#lead((leader) => leader.transport.seek(goal));
  }

  /** Sends both to the start. */
  start() {
    this.seek({ kind: "step", step: 0 });
  }

  /**
   * Sends the leader to the furthest known point; if it is already there, to the end of its run.
   */
  end() {
    this.#lead((leader) => leader.transport.end());
  }

  /** Sends the other machine to the position that is aligned with the leader's. */
  realign() {
    const step = positionOf(this[this.store.getState().lead])?.step;
    // A leader that is still opening has no position: its first frame is followed when it arrives.
    if (step === undefined) this.#lead(() => {});
    else this.seek({ kind: "step", step });
  }

  /** Sends each machine to its own step. */
  goTo(steps: SideSteps) {
    this.#visits.stop();
    this.#goTo(steps);
  }

  #goTo(steps: SideSteps) {
    this.#stopPlaying();
    this.#moves.stop();
    this.#isFree = true;
    for (const side of SIDES) this[side].transport.seek({ kind: "step", step: steps[side] });
  }

  /** Plays both, or pauses them. */
  toggle() {
    if (this.store.getState().isPlaying) this.pause();
    else this.play();
  }

  /** Plays both by virtual time. */
  play() {
    if (!this.#sessions() || this.store.getState().isPlaying) return;
    this.#visits.stop();
    this.#moves.stop();
    this.store.setState({ isPlaying: true, notice: "" });
    this.#playback.start();
  }

  /** Pauses both at the leader's position. */
  pause() {
    if (!this.store.getState().isPlaying) return;
    this.#stopPlaying();
    this.realign();
  }

  /** Frames per second of the present playback, of the machine that draws fewer. */
  get picturesPerSecond(): number {
    return this.#playback.picturesPerSecond;
  }

  // ---- the first divergence

  /** Searches for the first divergence from the start of both runs. */
  async search(): Promise<void> {
    const experiments = this.experiments();
    const catalog = this.#catalog();
    if (!experiments || !catalog) return;
    await this.#searches.ask(async (heard, signal) => {
      const say = (divergence: Divergence) => this.store.setState({ divergence });
      say({ kind: "searching", step: 0, time_ns: 0 });
      // Ending the worker frees the memory of both machines.
      const client = new MeasureClient(this.#startMeasuring);
      try {
        const found = await heard(
          findDivergence(client, experiments, signal, (step, time_ns) => {
            if (!signal.aborted) say({ kind: "searching", step, time_ns });
          }),
        );
        client.dispose();
        say(found);
        if (found.kind === "found") await heard(this.#readDecisions(found, catalog, signal));
      } catch (error) {
        if (!signal.aborted) say({ kind: "stopped", message: wordsOf(error) });
      } finally {
        client.dispose();
      }
    });
  }

  /** Reads the decisions at the divergence again, after they could not be read. */
  async readAgain(): Promise<void> {
    const { divergence } = this.store.getState();
    const catalog = this.#catalog();
    if (divergence.kind !== "found" || !catalog) return;
    await this.#searches.ask((heard, signal) =>
      heard(this.#readDecisions(divergence, catalog, signal)),
    );
  }

  /** The divergence stays, whether or not its decisions can be read. */
  async #readDecisions(
    found: Extract<Divergence, { kind: "found" }>,
    catalog: Catalog,
    signal: AbortSignal,
  ): Promise<void> {
    const say = (decisions: ReadDecisions) => {
      if (!signal.aborted) this.store.setState({ divergence: { ...found, decisions } });
    };
    say({ kind: "reading" });
    const sessions = this.#sessions();
    if (!sessions) return;
    const [a, b] = sessions;
    const sides = [
      { ask: this.a.log(), session: a },
      { ask: this.b.log(), session: b },
    ] as const;
    try {
      say({ kind: "read", decisions: await readDecisions(sides, catalog, found.step) });
    } catch (error) {
      say({ kind: "unreadable", message: wordsOf(error) });
    }
  }

  /** Cancels the search. */
  cancelSearch() {
    if (this.store.getState().divergence.kind !== "searching") return;
    this.#searches.stop();
    this.store.setState({ divergence: NO_DIVERGENCE });
  }

  /** Opens the first divergence on both sides, each at its own decision. */
  openDivergence() {
    const { divergence } = this.store.getState();
    if (divergence.kind !== "found") return;
    const { decisions } = divergence;
    const [a, b] = decisions.kind === "read" ? decisions.decisions.first : [null, null];
    this.goTo({ a: a?.step ?? divergence.step, b: b?.step ?? divergence.step });
  }

  // ---- alignment

  #lead(move: (leader: Workbench) => void) {
    this.#visits.stop();
    this.#stopPlaying();
    this.#moves.stop();
    this.#isFree = false;
    this.#followed = null;
    move(this[this.store.getState().lead]);
  }

  /** The leader has moved: the other machine follows. */
  #hear(side: Side) {
    const { isPlaying, lead } = this.store.getState();
    if (isPlaying || this.#isFree || side !== lead) return;
    const state = this[side].store.getState();
    const frame = state.session?.frame;
    if (!frame || frame === this.#followed || !hasMoved(frame) || modeOf(state) !== "paused")
      return;
    this.#followed = frame;
    void this.#moves.ask(async (heard) => {
      try {
        await this.#follow(heard, frame.view.position);
      } catch (error) {
        if (error instanceof DOMException && error.name === "AbortError") throw error;
        this.store.setState({ notice: wordsOf(error) });
      }
    });
  }

  async #follow(heard: Heard, { step: leads, time_ns }: Position): Promise<void> {
    const follower = this[otherSide(this.store.getState().lead)];
    const step = await heard(this.#followerStep(leads));
    if (step === "time") return follower.transport.seek({ kind: "time", time_ns });
    this.store.setState({ notice: step === null ? NEVER_THERE : "" });
    if (step === null) follower.transport.runToEnd();
    else follower.transport.seek({ kind: "step", step });
  }

  /**
   * The step of the other machine that is aligned with a step of the leader: "time" if it is the
   * first step at the leader's time, null if the other run never gets that far.
   */
  async #followerStep(step: number): Promise<number | null | "time"> {
    if (step <= this.#alikeUpTo()) return step;
    const axes = this.#axesNow();
    if (!axes) return "time";
    const { lead } = this.store.getState();
    const count = await axes[lead].countAt(step);
    return axes[otherSide(lead)].stepOf(count);
  }

  /** The step up to which both runs are known to be equal. */
  #alikeUpTo(): number {
    const [a, b] = this.experiments() ?? [];
    if (a !== undefined && a === b) return Number.POSITIVE_INFINITY;
    const { divergence } = this.store.getState();
    if (divergence.kind === "none") return Number.POSITIVE_INFINITY;
    return divergence.kind === "found" ? divergence.step : 0;
  }

  #axesNow(): { readonly a: Axis; readonly b: Axis } | null {
    const catalog = this.#catalog();
    const counted = catalog && countedBy(this.store.getState().alignment, catalog);
    if (!counted) return null;
    this.#axes ??= { a: new Axis(this.a.log(), counted), b: new Axis(this.b.log(), counted) };
    return this.#axes;
  }

  #closeAxes() {
    this.#axes?.a.close();
    this.#axes?.b.close();
    this.#axes = null;
  }

  #stopPlaying() {
    this.#playback.stop();
    if (this.store.getState().isPlaying) this.store.setState({ isPlaying: false });
  }

  #stopAll() {
    this.#visits.stop();
    this.#stopPlaying();
    this.#moves.stop();
    this.cancelSearch();
    this.#closeAxes();
  }

  #catalog() {
    const { engine } = this.a.store.getState();
    return engine.kind === "ready" ? engine.catalog : null;
  }

  #sessions(): readonly [Session, Session] | null {
    const [a, b] = [this.a.store.getState().session, this.b.store.getState().session];
    return a?.frame && b?.frame ? [a, b] : null;
  }
}

const NEVER_THERE = PAIR.endsEarlier;

const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

const positionOf = ({ store }: Workbench): Position | null =>
  store.getState().session?.frame?.view.position ?? null;

function momentOf({ frame }: Session): SideMoment | null {
  return frame && { position: frame.view.position, counters: frame.view.counters };
}

/** Frames that are sent because the machine has moved. */
const hasMoved = ({ cause, mode }: Frame) => cause !== "view" && mode.kind !== "playing";
