// Runs the engine in slices for one page: the job of the worker, without the worker, so that a test
// can drive it with the real engine and a fake clock.

import { inWords } from "../log-entry";
import type { Advance, Engine } from "../pkg/mmscope";
import type {
  Answer,
  Cause,
  EngineEvent,
  EngineRequest,
  Found,
  Frame,
  Goal,
  Mode,
  NodeMap,
  Pace,
  Question,
  StepHow,
  ZoomRequest,
} from "../protocol";
import { unreachable } from "../protocol";
import type { Reading } from "../reading";
import type { Info, Position } from "../types";
import { answerTo } from "./answers";
import { findFirstRefusal } from "./moment";
import { Searches } from "./searches";
import { Slices } from "./slices";
import type { Surroundings } from "./surroundings";
import { buffersOf, zoomedOf } from "./zoomed";

/** The length of a slice while frames are sent, ms; short enough not to delay frames. */
const SLICE_MS = 12;
/**
 * The length of a slice at full speed, when only progress is sent, ms; a pause still takes effect
 * quickly.
 */
const FULL_SLICE_MS = 40;
/** The duration after which a run reports progress, and the interval between reports, ms. */
const PROGRESS_AFTER_MS = 250;
const PROGRESS_EVERY_MS = 200;
/** How often the progress includes the timeline, ms. */
const PROGRESS_TIMELINE_EVERY_MS = 2000;
/** How long the worker rests when playback is ahead of its pace, ms. */
const REST_MS = 8;
/** Timeline rows are sent at most this often while playing, ms. */
const TIMELINE_EVERY_MS = 200;
/** When a small machine is opened, its run is surveyed to the end, for at most this long, ms. */
const SURVEY_MS = 1500;
/** The maximum number of steps taken after a pause to find a step with a reason. */
const DECISION_STEPS = 48;
const SLOT = 0;
/** Pages sent of each LRU list: all of a small machine's, the next batch of a large one's. */
const LRU_PAGES = { small: 4096, big: 32 };
/** Frames of a cell until the page sets the number: few cells, whatever the machine. */
const FIRST_CELL_SPAN = 1 << 16;
/** Steps of one call while it records single steps. */
const STEP_CHUNK = 200_000;

type Job =
  | { kind: "idle" }
  /** An experiment is being read. */
  | { kind: "reading" }
  | { kind: "play"; pace: Pace; from: number; since_ms: number }
  /** Playback by events: the page sends each next target. */
  | { kind: "advance"; step: number; cause: "played" | "told"; stage: "runs" | "settles" | "waits" }
  /** The same for a target time. */
  | { kind: "advance-time"; time_ns: number; isThere: boolean }
  | { kind: "end"; longRun: LongRun }
  | { kind: "survey"; goal: Goal; until_ms: number }
  | { kind: "seek"; cause: Cause; longRun: LongRun }
  /** After a run: records the reasons of the last step and shows them. */
  | { kind: "settle"; cause: "paused" | "view" };

/** The progress of a run at full speed, stored in its job. */
interface LongRun {
  readonly from: Position;
  readonly since_ms: number;
  readonly toEnd: boolean;
  readonly goal_ns: number | null;
  /** The times of the last progress report and of the last timeline. */
  reported_ms: number;
  drawn_ms: number;
}

const words = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Whether a request concerns the open machine, rather than how it is displayed. */
function isAboutTheRun(request: EngineRequest): boolean {
  // A question about a text needs no machine.
  if (request.kind === "ask") return !["import", "ftrace"].includes(request.question.kind);
  return !["open", "painted", "cells", "tracks", "zoom"].includes(request.kind);
}

/** One experiment on one engine, advanced in slices. */
export class EngineHost {
  readonly #engine: Engine;
  readonly #around: Surroundings;
  #info: Info | null = null;
  #job: Job = { kind: "idle" };
  #isScheduled = false;
  readonly #slices: Slices;
  #followed: number | null = null;
  #cellSpan = FIRST_CELL_SPAN;
  /** The counters of the timeline, each as two numbers. */
  #tracks = new Uint32Array();
  #zooms: readonly ZoomRequest[] = [];
  /** Requests that arrived during a long run; they are handled when the run ends. Requests that
      arrive while an experiment is being read apply to that experiment. */
  #waiting: EngineRequest[] = [];
  #isPainting = false;
  #isWarm = false;
  #owed: Cause | null = null;
  #timelineSent_ms = 0;
  #lastPosition: Position | null = null;
  readonly #searches: Searches;
  #found: Found | null = null;

  constructor(engine: Engine, around: Surroundings) {
    this.#engine = engine;
    this.#searches = new Searches(engine, SLOT);
    this.#around = around;
    this.#slices = new Slices(around.now);
  }

  /** The last position shown, for a restart after a trap. */
  get lastPosition(): Position | null {
    return this.#lastPosition;
  }

  /** Handles one request. */
  handle(request: EngineRequest) {
    if (this.#job.kind === "reading" && isAboutTheRun(request)) {
      this.#waiting.push(request);
      return;
    }
    if (!this.#info && isAboutTheRun(request)) return this.#keepForLater(request);
    switch (request.kind) {
      case "step":
      case "back":
        // A step from an arbitrary position of a long run would be useless.
        if (this.#isSearching()) this.#waiting.push(request);
        else if (this.#job.kind !== "end") this.#move(request);
        return;
      case "open":
        return this.#open(request.json, request.goal);
      case "go":
        this.#forgetSteps();
        return this.#go(request.goal, "sought");
      case "play":
      case "advance":
      case "advance-time":
      case "end":
        this.#forgetSteps();
        if (this.#isSearching()) this.#waiting.push(request);
        else if (request.kind === "end") this.#end();
        else if (request.kind === "advance") this.#start({ ...request, stage: "runs" });
        else if (request.kind === "advance-time") this.#start({ ...request, isThere: false });
        else this.#play(request.pace);
        return;
      case "find":
      case "last-change":
        this.#forgetSteps();
        if (this.#isSearching()) this.#waiting.push(request);
        else this.#search(request);
        return;
      case "breakpoints":
        this.#searches.set(request.points, true);
        return;
      case "pause":
        this.#forgetSteps();
        return this.#pause();
      case "follow":
        this.#followed = request.task;
        return this.#show("view");
      case "cells":
        this.#cellSpan = request.span;
        return this.#showAnew();
      case "tracks":
        this.#tracks = Uint32Array.from(request.pairs);
        return this.#showAnew();
      case "zoom":
        this.#zooms = request.zooms;
        return this.#showAnew();
      case "painted":
        return this.#painted();
      case "ask":
        if (this.#isSearching()) this.#waiting.push(request);
        else this.#answer(request.id, request.question);
        return;
      default:
        return unreachable(request);
    }
  }

  /** During a long run the machine is at a position that the page has not seen. */
  #isSearching = () => ["survey", "seek", "settle"].includes(this.#job.kind);

  /** No experiment is open yet: a question waits for an experiment, a step is dropped. */
  #keepForLater(request: EngineRequest) {
    if (request.kind === "ask") this.#waiting.push(request);
    if (request.kind === "breakpoints") this.#searches.set(request.points, false);
  }

  /** A newer command drops queued steps. */
  #forgetSteps() {
    this.#waiting = this.#waiting.filter(({ kind }) => kind === "ask");
  }

  #open(json: string, goal: Goal) {
    this.#job = { kind: "idle" };
    this.#owed = null;
    this.#forgetSteps();
    const reading = this.#around.read(json);
    if (!(reading instanceof Promise)) return this.#begin(json, goal, reading);
    const job: Job = { kind: "reading" };
    this.#job = job;
    const then = (work: () => void) =>
      this.#around.later(() => {
        // Another experiment may have been opened meanwhile.
        if (this.#job !== job) return;
        this.#job = { kind: "idle" };
        work();
        this.#drain();
      }, 0);
    reading.then(
      (read) => then(() => this.#begin(json, goal, read)),
      (error: unknown) => then(() => this.#post({ kind: "unread", message: words(error) })),
    );
  }

  #begin(json: string, goal: Goal, reading: Reading) {
    if (reading.kind === "refused") {
      const { refusals, nearest } = reading;
      this.#post({ kind: "refused", json, refusals, nearest });
      return;
    }
    const { info, canonical } = reading.opened;
    this.#engine.open(SLOT, json);
    this.#info = info;
    this.#followed = null;
    this.#zooms = [];
    this.#searches.arm();
    this.#post({ kind: "opened", info, canonical });
    // A survey of a small run costs milliseconds and lets the timeline show all of it.
    if (info.teaching) {
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
        return this.#seek(this.#engine.seek_time(SLOT, goal.time_ns), cause, goal.time_ns);
      case "first-refusal":
        findFirstRefusal(this.#engine, SLOT, this.#around.catalog);
        this.#job = { kind: "idle" };
        this.#show(cause);
        return this.#drain();
      default:
        return unreachable(goal);
    }
  }

  #seek(progress: Advance, cause: Cause, goal_ns: number | null = null) {
    const longRun = this.#longRun(progress.position, goal_ns);
    if (!progress.done) return this.#start({ kind: "seek", cause, longRun });
    this.#noteFound(cause, progress);
    this.#arrive(cause, longRun);
  }

  #noteFound(cause: Cause, progress: Advance) {
    if (cause === "found") this.#found = this.#searches.outcome(progress);
  }

  #longRun(from: Position, goal_ns: number | null, toEnd = false): LongRun {
    const now = this.#around.now();
    return { from, since_ms: now, toEnd, goal_ns, reported_ms: now, drawn_ms: now };
  }

  #search(request: Extract<EngineRequest, { kind: "find" | "last-change" }>) {
    const begun = this.#searches.begin(request, STEP_CHUNK);
    this.#seek(begun, "found");
  }

  /** The long run has arrived: sends a frame, then handles the queued requests. */
  #arrive(cause: Cause, { goal_ns }: LongRun) {
    this.#job = { kind: "idle" };
    this.#show(cause);
    // A seek to a step records the reasons of the step; after a seek to a time, the reasons follow
    // the frame.
    if (goal_ns !== null) this.#start({ kind: "settle", cause: "view" });
    else this.#drain();
  }

  /** Handles the requests that were queued during a long run. */
  #drain() {
    while (this.#job.kind === "idle") {
      const request = this.#waiting.shift();
      if (!request) return;
      this.handle(request);
    }
  }

  #play(pace: Pace) {
    const { step, time_ns } = this.#position();
    const from = pace.kind === "time" ? time_ns : step;
    this.#start({ kind: "play", pace, from, since_ms: this.#around.now() });
  }

  #end() {
    if (!this.#info) return;
    this.#start({
      kind: "end",
      longRun: this.#longRun(this.#position(), this.#info.length_ns, true),
    });
  }

  #position(): Position {
    return this.#engine.view(SLOT, this.#followed ?? undefined).position;
  }

  /** Stops at the current step, and repeats the last steps to record their reasons. */
  #pause() {
    const { kind } = this.#job;
    if (kind === "settle") return;
    if (kind === "idle") return this.#show("paused");
    // The page has not seen this position, so the run opens at the requested goal instead.
    if (this.#job.kind === "survey") return this.#go(this.#job.goal, "opened");
    this.#engine.cancel(SLOT);
    this.#start({ kind: "settle", cause: "paused" });
    if (!["play", "advance", "advance-time"].includes(kind)) this.#show("view");
  }

  #move(request: Extract<EngineRequest, { kind: "step" | "back" }>) {
    this.#followed = request.followed;
    if (request.kind === "step") return this.#step(request.how);
    this.#seek(this.#engine.back(SLOT, request.how, request.followed), "back");
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
      case "reading":
        return;
      case "play":
        return job.pace.kind === "time"
          ? this.#playTime(job, job.pace.ns_per_s)
          : this.#playSteps(job, job.pace.steps_per_s);
      case "advance":
        return this.#advanceOn(job);
      case "advance-time":
        return this.#advanceToTime(job);
      case "end":
        return this.#runToEnd(job);
      case "survey":
        return this.#survey(job.goal, job.until_ms);
      case "seek":
        return this.#seekOn(job);
      case "settle":
        return this.#settle(job);
      default:
        return unreachable(job);
    }
  }

  #playTime(job: Extract<Job, { kind: "play" }>, ns_per_s: number) {
    const now = this.#around.now();
    const goal_ns = Math.round(job.from + ((now - job.since_ms) / 1000) * ns_per_s);
    const progress = this.#slices.repeat((max) => this.#searches.run(max, goal_ns), SLICE_MS);
    if (this.#hasHit(progress)) return;
    if (progress.position.ended) return this.#finish();
    if (!progress.done) {
      // The machine cannot keep the pace: continue from here instead of trying to catch up.
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
      const progress = this.#searches.step();
      if (this.#hasHit(progress)) return;
      isEnded = progress.position.ended;
    }
    if (isEnded) return this.#finish();
    if (due > 0) {
      job.since_ms += (due / steps_per_s) * 1000;
      this.#show("played");
    }
    this.#schedule(REST_MS);
  }

  #advanceOn(job: Extract<Job, { kind: "advance" }>) {
    if (job.stage === "waits") return;
    if (job.stage === "runs" && this.#position().step < job.step) {
      const progress = this.#slices.repeat((max) => this.#searches.runTo(max, job.step), SLICE_MS);
      if (this.#hasHit(progress)) return;
      if (progress.position.ended) return this.#finish();
      if (progress.position.step < job.step) return this.#schedule(0);
    }
    // A frame during playback needs no reasons, but a moment of the story does.
    job.stage = job.cause === "told" ? "settles" : "waits";
    if (job.stage === "settles" && !this.#engine.settle(SLOT, this.#slices.chunk))
      return this.#schedule(0);
    job.stage = "waits";
    this.#show(job.cause);
  }

  #advanceToTime(job: Extract<Job, { kind: "advance-time" }>) {
    if (job.isThere) return;
    const run = (max: number) => this.#searches.run(max, job.time_ns);
    const progress = this.#slices.repeat(run, SLICE_MS);
    if (this.#hasHit(progress)) return;
    if (progress.position.ended) return this.#finish();
    if (!progress.done) return this.#schedule(0);
    job.isThere = true;
    this.#show("played");
  }

  #runToEnd({ longRun }: Extract<Job, { kind: "end" }>) {
    const run = (max: number) => this.#searches.run(max, undefined);
    const progress = this.#slices.repeat(run, FULL_SLICE_MS);
    if (this.#hasHit(progress)) return;
    if (progress.position.ended || progress.done) return this.#finish();
    this.#tell(longRun, progress);
    this.#schedule(0);
  }

  /** Stops if the run has hit a breakpoint. */
  #hasHit(progress: Advance): boolean {
    const found = this.#searches.hitOf(progress);
    if (!found) return false;
    this.#found = found;
    this.#job = { kind: "idle" };
    this.#show("found");
    this.#drain();
    return true;
  }

  #survey(goal: Goal, until_ms: number) {
    const progress = this.#slices.repeat(
      (max) => this.#engine.run(SLOT, max, undefined, undefined),
      SLICE_MS,
    );
    const isOver = progress.done || progress.position.ended || this.#around.now() > until_ms;
    if (isOver) return this.#go(goal, "opened");
    this.#schedule(0);
  }

  #seekOn({ cause, longRun }: Extract<Job, { kind: "seek" }>) {
    const progress = this.#slices.repeat((max) => this.#engine.seek_more(SLOT, max), FULL_SLICE_MS);
    if (progress.done) {
      this.#noteFound(cause, progress);
      return this.#arrive(cause, longRun);
    }
    this.#tell(longRun, progress);
    this.#schedule(0);
  }

  /** Reports the progress of a long run. */
  #tell(longRun: LongRun, { position, goal_step = null }: Advance) {
    const now = this.#around.now();
    const elapsed_ms = now - longRun.since_ms;
    if (elapsed_ms < PROGRESS_AFTER_MS || now - longRun.reported_ms < PROGRESS_EVERY_MS) return;
    longRun.reported_ms = now;
    const isDrawn = now - longRun.drawn_ms > PROGRESS_TIMELINE_EVERY_MS;
    if (isDrawn) longRun.drawn_ms = now;
    const { from, toEnd, goal_ns } = longRun;
    const steps_per_s = Math.max(0, ((position.step - from.step) / elapsed_ms) * 1000);
    this.#lastPosition = position;
    this.#post({
      kind: "progress",
      longRun: { from, at: position, goal_step, goal_ns, toEnd, steps_per_s },
      timeline: isDrawn ? this.#engine.samples(SLOT, this.#tracks) : null,
    });
  }

  #settle({ cause }: Extract<Job, { kind: "settle" }>) {
    const began = this.#around.now();
    let isSettled = false;
    do isSettled = this.#engine.settle(SLOT, this.#slices.chunk);
    while (!isSettled && this.#around.now() - began < SLICE_MS);
    if (!isSettled) return this.#schedule(0);
    this.#job = { kind: "idle" };
    if (cause === "paused") this.#walkToDecision();
    this.#show(cause);
    this.#drain();
  }

  /** A pause can fall on any step, so this goes on a few steps to one that made a decision. */
  #walkToDecision() {
    for (let i = 0; i < DECISION_STEPS; i += 1) {
      const { why, position } = this.#engine.view(SLOT, undefined);
      if (why || position.ended) return;
      this.#engine.step(SLOT, "any", undefined, 1);
    }
  }

  #finish() {
    this.#start({ kind: "settle", cause: "paused" });
  }

  #mode(): Mode {
    const job = this.#job;
    switch (job.kind) {
      case "idle":
        return { kind: "paused" };
      case "settle":
        return { kind: job.cause === "paused" ? "playing" : "paused" };
      case "play":
      case "advance":
      case "advance-time":
        return { kind: "playing" };
      case "reading":
      case "end":
      case "survey":
      case "seek":
        return { kind: "seeking" };
      default:
        return unreachable(job);
    }
  }

  /** Shows the same moment with new display settings; a long run shows it when it arrives. */
  #showAnew() {
    if (!this.#isSearching()) this.#show("view");
  }

  /** Sends a frame now, or once the page has painted the last one. */
  #show(cause: Cause) {
    if (!this.#info) return;
    if (this.#isPainting) {
      // If two frames merge, a manual step is the more informative cause.
      this.#owed = this.#owed && cause === "view" ? this.#owed : cause;
      return;
    }
    this.#isPainting = true;
    const frame = this.#frame(this.#info, cause);
    this.#post({ kind: "frame", frame }, buffersOf(frame));
  }

  #painted() {
    this.#isPainting = false;
    if (!this.#isWarm && this.#info && !this.#info.teaching) {
      this.#isWarm = true;
      this.#around.warmUp(() => this.#job.kind === "idle");
    }
    const owed = this.#owed;
    this.#owed = null;
    if (owed) this.#show(owed);
  }

  #frame(info: Info, cause: Cause): Frame {
    const recorded = this.#engine.view(SLOT, this.#followed ?? undefined);
    const view = inWords(recorded, this.#around.catalog, info);
    this.#lastPosition = view.position;
    const now = this.#around.now();
    const isTimelineDue = cause !== "played" || now - this.#timelineSent_ms > TIMELINE_EVERY_MS;
    if (isTimelineDue) this.#timelineSent_ms = now;
    const listed = info.teaching ? LRU_PAGES.small : LRU_PAGES.big;
    return {
      view,
      maps: info.nodes.map(({ id }) => this.#map(info, id)),
      zoomed: this.#zooms.map((look) => zoomedOf(this.#engine, SLOT, look)),
      lru: this.#engine.lru_pages(SLOT, listed),
      generations: this.#engine.generation_pages(SLOT, listed),
      timeline: isTimelineDue ? this.#engine.samples(SLOT, this.#tracks) : null,
      furthest: this.#engine.furthest(SLOT),
      mode: this.#mode(),
      cause,
      found: cause === "found" ? this.#found : null,
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
      call: this.#around.call,
    };
    const answer = answerTo(asked, question);
    if (!(answer instanceof Promise)) return say(answer);
    answer.then(say, (error: unknown) => say({ kind: "failed", message: words(error) }));
  }

  #post(event: EngineEvent, transfer: ArrayBuffer[] = []) {
    this.#around.post(event, transfer);
  }
}
