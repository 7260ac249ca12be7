// Runs the engine in slices for one page: what the worker does, without the worker, so that a test
// can drive it with the real engine and a clock of its own.

import { answerTo, type Procfs } from "./answers";
import { findFirstRefusal } from "./moment";
import type { Advance, Engine } from "./pkg/mmscope";
import type {
  Answer,
  Cause,
  EngineEvent,
  EngineRequest,
  Frame,
  Goal,
  Mode,
  NodeMap,
  Pace,
  Question,
  StepHow,
} from "./protocol";
import { unreachable } from "./protocol";
import type { Info, Position } from "./types";

/** A slice of work; short enough that a pause acts at once. */
const SLICE_MS = 12;
/** How long the worker rests when play is ahead of its pace, ms. */
const REST_MS = 8;
/** Timeline rows are sent at most this often while playing, ms. */
const TIMELINE_EVERY_MS = 200;
/** A small machine's run is looked at to its end when opened, unless that takes longer, ms. */
const SURVEY_MS = 1500;
const FIRST_CHUNK_STEPS = 4096;
/** Steps taken after a pause to find one with a reason. */
const DECISION_STEPS = 48;
const SLOT = 0;
/** Pages of each LRU list that are sent: all of a small machine's, the next batch of a big one's. */
const LRU_PAGES = { small: 4096, big: 32 };
/** Frames of a cell until the page says how many it wants: few cells, whatever the machine. */
const FIRST_CELL_SPAN = 1 << 16;
/** Steps of one call while single steps are recorded. */
const STEP_CHUNK = 200_000;

/** What the host needs from around it. */
export interface Surroundings {
  /** Monotonic time, ms. */
  readonly now: () => number;
  /** Calls back after a pause in which requests may arrive. */
  readonly later: (work: () => void, delay_ms: number) => void;
  readonly post: (event: EngineEvent, transfer: ArrayBuffer[]) => void;
  /** Loads the module for the files of /proc, at most once. */
  readonly procfs: () => Promise<Procfs>;
}

type Job =
  | { kind: "idle" }
  | { kind: "play"; pace: Pace; from: number; since_ms: number }
  | { kind: "end" }
  | { kind: "survey"; goal: Goal; until_ms: number }
  | { kind: "seek"; cause: Cause; last: Advance }
  /** After a run: makes the last step's reasons visible. */
  | { kind: "settle" };

/** One experiment on one engine, advanced in slices. */
export class EngineHost {
  readonly #engine: Engine;
  readonly #around: Surroundings;
  #info: Info | null = null;
  #experiment = "";
  #job: Job = { kind: "idle" };
  #isScheduled = false;
  #chunk = FIRST_CHUNK_STEPS;
  #followed: number | null = null;
  #cellSpan = FIRST_CELL_SPAN;
  #isPainting = false;
  #owed: Cause | null = null;
  #timelineSent_ms = 0;
  #lastPosition: Position | null = null;

  constructor(engine: Engine, around: Surroundings) {
    this.#engine = engine;
    this.#around = around;
  }

  /** The last position shown, for a restart after a trap. */
  get lastPosition(): Position | null {
    return this.#lastPosition;
  }

  /** Acts on one request. */
  handle(request: EngineRequest) {
    switch (request.kind) {
      case "open":
        return this.#open(request.json, request.goal);
      case "step":
        this.#followed = request.followed;
        return this.#step(request.how);
      case "back":
        this.#followed = request.followed;
        return this.#seek(this.#engine.back(SLOT, request.how, request.followed), "back");
      case "go":
        return this.#go(request.goal, "sought");
      case "play":
        return this.#play(request.pace);
      case "end":
        return this.#start({ kind: "end" });
      case "pause":
        return this.#pause();
      case "follow":
        this.#followed = request.task;
        return this.#show("view");
      case "cells":
        this.#cellSpan = request.span;
        return this.#info ? this.#show("view") : undefined;
      case "painted":
        return this.#painted();
      case "ask":
        return this.#answer(request.id, request.question);
      default:
        return unreachable(request);
    }
  }

  #open(json: string, goal: Goal) {
    this.#job = { kind: "idle" };
    this.#owed = null;
    const outcome = this.#engine.open(SLOT, json);
    if (outcome.kind === "refused") {
      const { refusals, nearest } = outcome;
      this.#post({ kind: "refused", json, refusals, nearest: nearest ?? null });
      return;
    }
    this.#info = outcome.info;
    this.#experiment = outcome.canonical;
    this.#followed = null;
    this.#post({ kind: "opened", info: outcome.info, canonical: outcome.canonical });
    // Knowing a small run to its end costs milliseconds and lets the timeline show all of it.
    if (outcome.info.teaching) {
      this.#start({ kind: "survey", goal, until_ms: this.#around.now() + SURVEY_MS });
    } else {
      this.#go(goal, "opened");
    }
  }

  #go(goal: Goal, cause: Cause) {
    switch (goal.kind) {
      case "start":
        return this.#seek(this.#engine.seek(SLOT, 0), cause);
      case "step":
        return this.#seek(this.#engine.seek(SLOT, goal.step), cause);
      case "time":
        return this.#seek(this.#engine.seek_time(SLOT, goal.time_ns), cause);
      case "first-refusal":
        findFirstRefusal(this.#engine, SLOT);
        this.#job = { kind: "idle" };
        return this.#show(cause);
      default:
        return unreachable(goal);
    }
  }

  #seek(progress: Advance, cause: Cause) {
    if (progress.done) {
      this.#job = { kind: "idle" };
      this.#show(cause);
    } else {
      this.#start({ kind: "seek", cause, last: progress });
    }
  }

  #play(pace: Pace) {
    const { step, time_ns } = this.#engine.view(SLOT, this.#followed).position;
    const from = pace.kind === "time" ? time_ns : step;
    this.#start({ kind: "play", pace, from, since_ms: this.#around.now() });
  }

  #pause() {
    const wasRunning = this.#job.kind === "play" || this.#job.kind === "end";
    if (wasRunning) return this.#start({ kind: "settle" });
    if (this.#job.kind === "seek") this.#engine.cancel(SLOT);
    this.#job = { kind: "idle" };
    this.#show("paused");
  }

  #step(how: StepHow) {
    const followed = how === "any" ? undefined : (this.#followed ?? undefined);
    this.#seek(this.#engine.step(SLOT, how, followed, STEP_CHUNK), "stepped");
  }

  #start(job: Job) {
    this.#job = job;
    this.#schedule(0);
  }

  #schedule(delay_ms: number) {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#around.later(() => {
      this.#isScheduled = false;
      this.#slice();
    }, delay_ms);
  }

  #slice() {
    const job = this.#job;
    switch (job.kind) {
      case "idle":
        return;
      case "play":
        return job.pace.kind === "time"
          ? this.#playTime(job, job.pace.ns_per_s)
          : this.#playSteps(job, job.pace.steps_per_s);
      case "end":
        return this.#runToEnd();
      case "survey":
        return this.#survey(job.goal, job.until_ms);
      case "seek":
        return this.#seekOn(job);
      case "settle":
        return this.#settle();
      default:
        return unreachable(job);
    }
  }

  /** Repeats bounded calls until `isDone` or the slice is over; says whether it was done. */
  #repeat(call: (max_steps: number) => Advance): Advance {
    const began = this.#around.now();
    for (;;) {
      const before = this.#around.now();
      const progress = call(this.#chunk);
      const now = this.#around.now();
      // A call of about a third of a slice keeps both the overhead and the delay small.
      if (now - before < SLICE_MS / 6) this.#chunk = Math.min(this.#chunk * 2, 1 << 24);
      else if (now - before > SLICE_MS / 2)
        this.#chunk = Math.max(this.#chunk >> 1, FIRST_CHUNK_STEPS);
      if (progress.done || progress.position.ended || now - began > SLICE_MS) return progress;
    }
  }

  #playTime(job: Extract<Job, { kind: "play" }>, ns_per_s: number) {
    const now = this.#around.now();
    const goal_ns = Math.round(job.from + ((now - job.since_ms) / 1000) * ns_per_s);
    const progress = this.#repeat((max) => this.#engine.run(SLOT, max, undefined, goal_ns));
    if (progress.position.ended) return this.#finish();
    if (!progress.done) {
      // The machine cannot keep the pace: play on from here instead of running after it.
      job.from = progress.position.time_ns;
      job.since_ms = this.#around.now();
    }
    this.#show("played");
    this.#schedule(progress.done ? REST_MS : 0);
  }

  #playSteps(job: Extract<Job, { kind: "play" }>, steps_per_s: number) {
    const due = Math.floor(((this.#around.now() - job.since_ms) / 1000) * steps_per_s);
    let isEnded = false;
    for (let i = 0; i < due && !isEnded; i += 1) {
      isEnded = this.#engine.step(SLOT, "any", undefined, 1).position.ended;
    }
    if (isEnded) return this.#finish();
    if (due > 0) {
      job.since_ms += (due / steps_per_s) * 1000;
      this.#show("played");
    }
    this.#schedule(REST_MS);
  }

  #runToEnd() {
    const progress = this.#repeat((max) => this.#engine.run(SLOT, max, undefined, undefined));
    if (progress.position.ended || progress.done) return this.#finish();
    this.#show("played");
    this.#schedule(0);
  }

  #survey(goal: Goal, until_ms: number) {
    const progress = this.#repeat((max) => this.#engine.run(SLOT, max, undefined, undefined));
    const isOver = progress.done || progress.position.ended || this.#around.now() > until_ms;
    if (isOver) return this.#go(goal, "opened");
    this.#schedule(0);
  }

  #seekOn(job: Extract<Job, { kind: "seek" }>) {
    const progress = this.#repeat((max) => this.#engine.seek_more(SLOT, max));
    if (progress.done) {
      this.#job = { kind: "idle" };
      return this.#show(job.cause);
    }
    job.last = progress;
    this.#post({ kind: "progress", mode: this.#mode() });
    this.#schedule(0);
  }

  #settle() {
    const began = this.#around.now();
    while (this.#around.now() - began < SLICE_MS) {
      if (!this.#engine.settle(SLOT, this.#chunk)) continue;
      this.#job = { kind: "idle" };
      this.#walkToDecision();
      return this.#show("paused");
    }
    this.#schedule(0);
  }

  /** A pause falls anywhere; a few more steps lead to one that decided something. */
  #walkToDecision() {
    for (let i = 0; i < DECISION_STEPS; i += 1) {
      const { why, position } = this.#engine.view(SLOT, undefined);
      if (why || position.ended) return;
      this.#engine.step(SLOT, "any", undefined, 1);
    }
  }

  #finish() {
    this.#start({ kind: "settle" });
  }

  #mode(): Mode {
    const job = this.#job;
    switch (job.kind) {
      case "idle":
        return { kind: "paused" };
      case "settle":
      case "play":
      case "end":
        return { kind: "playing" };
      case "survey":
        return { kind: "seeking", step: 0, goal_step: null };
      case "seek": {
        const { position, goal_step } = job.last;
        return { kind: "seeking", step: position.step, goal_step: goal_step ?? null };
      }
      default:
        return unreachable(job);
    }
  }

  /** Sends a frame now, or once the page has painted the last one. */
  #show(cause: Cause) {
    if (!this.#info) return;
    if (this.#isPainting) {
      // A manual step is the more telling cause when two frames melt into one.
      this.#owed = this.#owed && cause === "view" ? this.#owed : cause;
      return;
    }
    this.#isPainting = true;
    const frame = this.#frame(this.#info, cause);
    const buffers = frame.maps.flatMap((map) =>
      map.kind === "frames" ? [map.states.buffer, map.orders.buffer] : [map.shares.buffer],
    );
    buffers.push(frame.lru.buffer);
    if (frame.timeline) buffers.push(frame.timeline.buffer);
    this.#post(
      { kind: "frame", frame },
      buffers.filter((buffer) => buffer instanceof ArrayBuffer),
    );
  }

  #painted() {
    this.#isPainting = false;
    const owed = this.#owed;
    this.#owed = null;
    if (owed) this.#show(owed);
  }

  #frame(info: Info, cause: Cause): Frame {
    const view = this.#engine.view(SLOT, this.#followed ?? undefined);
    this.#lastPosition = view.position;
    const now = this.#around.now();
    const isTimelineDue = cause !== "played" || now - this.#timelineSent_ms > TIMELINE_EVERY_MS;
    if (isTimelineDue) this.#timelineSent_ms = now;
    return {
      view,
      maps: info.nodes.map(({ id }) => this.#map(info, id)),
      lru: this.#engine.lru_pages(SLOT, info.teaching ? LRU_PAGES.small : LRU_PAGES.big),
      timeline: isTimelineDue ? this.#engine.timeline(SLOT) : null,
      furthest: this.#engine.furthest(SLOT),
      mode: this.#mode(),
      cause,
    };
  }

  #map(info: Info, node: number): NodeMap {
    if (!info.teaching) {
      const span = this.#cellSpan;
      return { kind: "cells", span, shares: this.#engine.cells(SLOT, node, span) };
    }
    return {
      kind: "frames",
      states: this.#engine.page_states(SLOT, node),
      orders: this.#engine.page_orders(SLOT, node),
    };
  }

  #answer(id: number, question: Question) {
    const say = (answer: Answer) => this.#post({ kind: "answer", id, answer });
    const asked = {
      engine: this.#engine,
      slot: SLOT,
      experiment: this.#experiment,
      procfs: this.#around.procfs,
    };
    const answer = answerTo(asked, question);
    if (!(answer instanceof Promise)) return say(answer);
    answer.then(say, (error: unknown) =>
      say({ kind: "failed", message: error instanceof Error ? error.message : String(error) }),
    );
  }

  #post(event: EngineEvent, transfer: ArrayBuffer[] = []) {
    this.#around.post(event, transfer);
  }
}
