// All actions of a user, as functions on one store and one engine. Components call these and read
// the store; nothing else talks to the engine.

import { EngineClient, type Port } from "../engine/client";
import { type AskLog, LogTurns } from "../engine/log-turns";
import type {
  Answer,
  EngineEvent,
  EngineRequest,
  Frame,
  Goal,
  LongRun,
  Question,
  ZoomRequest,
} from "../engine/protocol";
import { unreachable } from "../engine/protocol";
import { shortened } from "../engine/shortened";
import type { Info, Refusal } from "../engine/types";
import { KEPT_LIMITS, LINK_LIMITS } from "../link/codec";
import { readDraft, readTab } from "../link/draft";
import { type Link, openLink } from "../link/link";
import { type Address, readFragment, watchAddress } from "../link/router";
import { Arrival } from "./arrival";
import { Changes } from "./changes";
import { goalOf, keepsBefore, shareOf } from "./goals";
import { narrate, narrateLongRun } from "./narration";
import { isFromElsewhere, type PendingOpen, type Source } from "./pending-open";
import { WALL_CLOCK } from "./play/player";
import { StoryController } from "./play/story-controller";
import { Reproduction } from "./reproduction";
import { retitled } from "./retitled";
import { Saving } from "./saving";
import { EMPTY_SETUP, fromLinked, isMade, type Setup } from "./setup";
import { Stops } from "./stops";
import {
  createWorkbenchStore,
  type DialogName,
  type Key,
  type Layout,
  type OpenRefusal,
  type ReadableStore,
  type Tab,
  type WorkbenchStore,
} from "./store";
import { Transport } from "./transport";
import { CONTROLLER } from "./words";
import { Zooms } from "./zooms";

/** The experiment that a first visit opens. */
export const FIRST_SCENARIO = "first-touch.teach";
const START: Goal = { kind: "start" };
const MOST_SELECTED = 8;
/** The reason why an experiment did not open: another was sent before the engine had checked it. */
const OVERTAKEN: Refusal = { path: "", reason: CONTROLLER.replaced };
/** How often the progress of a long run is announced: at its start, then after each tenth. */
const WAY_PARTS = 10;

/** One page's engine, store and actions. */
export class Workbench {
  readonly #store: WorkbenchStore = createWorkbenchStore();
  /** The page's state: components read it and change it only through the actions here. */
  readonly store: ReadableStore = this.#store;
  /** Moving through the run. */
  readonly transport: Transport;
  /** The story of the run, and playback by events. */
  readonly story: StoryController;
  /** Breakpoints, and searches for a value's last change. */
  readonly stops: Stops;
  /** The zoom of the page maps. */
  readonly zooms: Zooms;
  /** Undo and redo. */
  readonly changes: Changes;
  /** Repeats the run of a link and compares it with the result that the link carries. */
  readonly reproduction = new Reproduction();
  readonly #client: EngineClient;
  readonly #logs = new LogTurns((act) => this.#client.ask({ kind: "log", act }));
  /** Saves the address and the draft, and sets replaced drafts aside. */
  readonly saving: Saving;
  /**
   * The experiment that was sent to the engine and is not checked yet; until then the open one
   * stays.
   */
  #pending: PendingOpen | null = null;
  /** What to open once the stopped engine has restarted. */
  #postponed: PendingOpen | null = null;
  /** The last refused experiment. */
  #refusedOpen: PendingOpen | null = null;
  /** Brings the machine to the moment of the open link. */
  readonly #arrival: Arrival;
  /** The result of the open link is compared once the machine is at the link's moment. */
  #isToCheck = false;
  /** The last experiment that the engine opened, and its position: a restart begins there. */
  #restart: { json: string; goal: Goal } | null = null;
  /** The counters requested from the engine. */
  #tracks = "";
  readonly #unwatch: () => void;
  /** The page's own workbench updates the address and the draft; a stage in a text has neither. */
  readonly #ownsAddress: boolean;
  /** The workbench follows its address but does not touch the reader's storage, because it is in a
      frame of another site. */
  readonly #isEmbedded: boolean;

  constructor(
    start?: () => Port,
    { ownsAddress = true, isEmbedded = false, clock = WALL_CLOCK } = {},
  ) {
    this.#ownsAddress = ownsAddress;
    this.#isEmbedded = isEmbedded;
    this.#client = new EngineClient((event) => this.#hear(event), start);
    const bench = {
      send: (request: EngineRequest) => this.#client.send(request),
      say: (words: string) => this.#say(words),
      touch: () => this.#touch(),
    };
    const askHash = () => this.#client.ask({ kind: "hash" });
    this.#arrival = new Arrival(this.#store, { ...bench, askHash });
    const byClock = () => this.transport.setTempo("clock");
    const host = {
      ...bench,
      log: () => this.log(),
      tell: (text: string) => this.tell(text),
      byClock,
    };
    this.story = new StoryController(this.#store, host, clock);
    this.transport = new Transport(this.#store, bench, this.story.player);
    this.stops = new Stops(this.#store, { ...bench, save: () => this.saving.soon() });
    this.saving = new Saving(this.#store, { askHash, ownsAddress });
    this.zooms = new Zooms(this.#store, { keep: (setup) => this.keep(setup) });
    this.changes = new Changes(this.#store, { open: (pending) => this.#open(pending) });
    const follows = ownsAddress || isEmbedded;
    this.#unwatch = follows ? watchAddress((address) => this.#openAddress(address)) : () => {};
  }

  /** Ends the worker and removes all listeners. */
  dispose() {
    this.saving.dispose();
    this.#unwatch();
    this.#client.dispose();
    this.reproduction.dispose();
  }

  // ---- opening

  /** Sends an experiment to the engine; the open one stays until it has been checked. */
  #open(pending: PendingOpen) {
    this.story.player.stop();
    if (this.store.getState().trap) {
      this.#postponed = pending;
      return this.restart();
    }
    this.#pending?.judged?.([OVERTAKEN]);
    this.#pending = pending;
    if (!pending.judged) {
      this.#store.setState({ refusal: null, notice: null, scrub_ns: null, longRun: null });
    }
    this.#client.send({ kind: "open", json: pending.json, goal: pending.goal });
  }

  /** Opens another experiment, given as JSON text, and resets the setup. */
  open(json: string, goal: Goal = { kind: "start" }) {
    this.#open(this.#another(json, goal));
  }

  /**
   * The same for a caller that shows errors itself: an empty list means that the experiment is
   * open.
   */
  openOrRefuse(json: string, goal: Goal = { kind: "start" }): Promise<readonly Refusal[]> {
    return new Promise((judged) => this.#open({ ...this.#another(json, goal), judged }));
  }

  #another(json: string, goal: Goal): PendingOpen {
    // The draft must contain the latest changes before it is set aside.
    this.saving.settle();
    const { face, isOfBlocks, isOfCpus, isOfProcesses } = this.store.getState();
    const { isFolded, sideTab, isLogOpen } = this.store.getState();
    const layout = { face, isOfBlocks, isOfCpus, isOfProcesses, isFolded, sideTab, isLogOpen };
    const setup = { ...EMPTY_SETUP, ...layout };
    return { json, goal, source: "choice", setup, leaving: this.changes.present(true) };
  }

  /** Shows another experiment and keeps the present setup, for stages in a text. */
  show(json: string, goal: Goal) {
    this.#open({ json, goal, source: "choice", setup: null, leaving: null });
  }

  /** Opens a ready-made experiment at its start. */
  openPreset(id: string, goal: Goal = { kind: "start" }) {
    const { engine } = this.store.getState();
    const json = engine.kind === "ready" ? engine.presets[id] : undefined;
    if (json) this.open(json, goal);
  }

  /** Changes one field of the experiment and opens it at its start. */
  change(field: "kernel" | "machine" | "workload", value: string) {
    const { session } = this.store.getState();
    if (!session) return;
    const experiment: Record<string, unknown> = JSON.parse(session.experiment);
    this.open(this.#retitled(JSON.stringify({ ...experiment, id: "", [field]: value })));
  }

  /** The text of an experiment that replaces the open one, with a correct title. */
  #retitled(json: string): string {
    const { session, engine } = this.store.getState();
    if (!session || engine.kind !== "ready") return json;
    try {
      const [before, after] = [JSON.parse(session.experiment), JSON.parse(json)];
      const next = retitled(before, after, engine.presets);
      return next === after ? json : JSON.stringify(next);
    } catch {
      // The engine reports the errors in it.
      return json;
    }
  }

  /**
   * Opens an edited experiment. If it cannot be opened, returns the reasons and changes nothing.
   * Breakpoints, notes and the selection stay in any case.
   */
  edit(text: string, goal: Goal = { kind: "start" }): Promise<readonly Refusal[]> {
    const leaving = this.changes.present(false);
    const json = this.#retitled(text);
    return new Promise((judged) => {
      this.#open({ json, goal, source: "choice", setup: null, leaving, judged });
    });
  }

  /** Opens a moment from a file or the library, or returns the reasons why it cannot be opened. */
  bring(link: Link, source: "file" | "library"): Promise<readonly Refusal[]> {
    return new Promise((judged) => this.#openJudged(link, source, { judged }));
  }

  /** Opens the draft, or the first scenario if there is none. */
  openDraft() {
    const draft = this.#isEmbedded ? null : readDraft();
    if (draft === null || !this.#openPacked(draft, "draft")) {
      this.openPreset(FIRST_SCENARIO, { kind: "first-refusal" });
    }
  }

  /** Starts a new engine after a trap, one step before the one that broke it. */
  restart() {
    // The new worker does not know the experiment that the old worker had received but not checked.
    const message = CONTROLLER.restarted;
    this.#pending?.judged?.([{ path: "", reason: message }]);
    this.#pending = null;
    this.story.player.stop();
    this.#store.setState({ engine: { kind: "starting" } });
    this.#client.restart();
  }

  /**
   * Tries to open a text that could not be read again, or a rejected experiment with the nearest
   * valid values.
   */
  tryAgain(json?: string) {
    const pending = this.#refusedOpen;
    if (pending) this.#open({ ...pending, json: json ?? pending.json });
  }

  /** Dismisses an error; the open experiment stays. */
  dismissRefusal() {
    this.#store.setState({ refusal: null });
    if (!this.store.getState().session) this.openDraft();
  }

  /** Opens the experiment of an address, unless it is already open. */
  #openAddress(address: Address) {
    if (address.page !== "workbench") return;
    const { x, preset, dialog } = address;
    if (x !== null && x !== this.store.getState().packed) this.#openPacked(x, "link");
    else if (preset) this.#openNamed(preset);
    if (dialog === "import") this.showDialog(dialog);
  }

  #openNamed(preset: string) {
    const { engine } = this.store.getState();
    const isKnown = engine.kind === "ready" && Object.hasOwn(engine.presets, preset);
    if (isKnown) {
      this.saving.leave();
      return this.openPreset(preset, { kind: "first-refusal" });
    }
    const detail = CONTROLLER.noPreset(shortened(preset));
    this.refuse({ source: "link", why: "invalid", detail, refusals: [], nearest: null });
  }

  /** Checks a packed link and opens it; returns whether it was valid. */
  #openPacked(packed: string, source: "link" | "draft"): boolean {
    const { engine } = this.store.getState();
    if (engine.kind !== "ready") return false;
    const isOwn = !this.#isEmbedded && (source === "draft" || packed === readDraft());
    const opened = openLink(packed, engine.presets, isOwn ? KEPT_LIMITS : LINK_LIMITS);
    if (opened.ok) this.#openJudged(opened.link, source, { isOwn, packed });
    else if (source === "link") {
      this.refuse({ source, why: opened.why, detail: opened.detail, refusals: [], nearest: null });
    }
    return opened.ok;
  }

  #openJudged(link: Link, source: Source, more: Pick<PendingOpen, "isOwn" | "packed" | "judged">) {
    const { engine } = this.store.getState();
    if (engine.kind !== "ready") return more.judged?.([]);
    this.saving.settle();
    const goal = goalOf(link);
    const setup = fromLinked(link);
    this.#open({ json: link.experiment, goal, source, setup, link, leaving: null, ...more });
  }

  /** Shows the reason why an experiment was not opened. */
  refuse(refusal: OpenRefusal) {
    this.#store.setState({ refusal, notice: null });
  }

  // ---- selection and display

  /** Highlights something in all views, or nothing. */
  hover(hovered: Key | null) {
    if (this.store.getState().hovered !== hovered) this.#store.setState({ hovered });
  }

  /** Selects or deselects; steps act on a selected task. */
  select(key: Key) {
    const { selected } = this.store.getState();
    const isOff = selected.includes(key);
    const rest = selected.filter((other) => other !== key);
    const next = isOff ? rest : [...rest, key].slice(-MOST_SELECTED);
    this.keep({ selected: next });
    const [kind, id] = key.split(" ");
    if (kind === "task") this.follow(isOff ? null : Number(id));
  }

  /** Clears the selection. */
  clearSelection() {
    this.keep({ selected: [] });
    this.follow(null);
  }

  /** Shows the stack of a task, or of the task that ran last. */
  follow(task: number | null) {
    if (this.store.getState().followed === task) return;
    this.keep({ followed: task });
    this.#client.send({ kind: "follow", task });
  }

  /** Shows a zone's free lists at its node. */
  showLists(node: number, zone: string) {
    const { lists } = this.store.getState();
    this.keep({ lists: { ...lists, [String(node)]: zone } });
  }

  /** Changes the setup around the machine that a link contains. */
  keep(setup: Partial<Setup>) {
    if (isMade(setup)) this.#touch();
    const { tracks, isFolded, layout } = this.store.getState();
    // An added counter must be visible immediately, even if the timeline was folded to a line.
    const isAdded = (setup.tracks?.length ?? 0) > tracks.length;
    const opens = isAdded && isFolded === null && layout.isLine;
    this.#store.setState(opens ? { ...setup, isFolded: false } : setup);
    this.saving.soon();
  }

  /** Repeats the run in the background and compares it with the result that the link carries. */
  checkResult() {
    this.#isToCheck = false;
    const { session, result } = this.store.getState();
    if (session && result) void this.reproduction.check(session.experiment, result);
  }

  // ---- dialogs and panels

  /** Opens a dialog and closes the one that is open. */
  showDialog(dialog: DialogName) {
    this.#store.setState({ dialog });
  }

  /** Closes the dialog that is open. */
  closeDialog() {
    this.#store.setState({ dialog: null });
  }

  /** Opens the event log, or closes it. */
  showLog(isLogOpen = !this.store.getState().isLogOpen) {
    this.closeDialog();
    this.keep({ isLogOpen });
  }

  /** Shows title and note next to the machine, or hides them. */
  showCaption(isCaptionOpen: boolean) {
    this.#store.setState({ isCaptionOpen });
  }

  /** Shows one tab of the phone layout. */
  showTab(tab: Tab) {
    this.#store.setState({ tab });
  }

  /** Changes the layout of the window's height. */
  layOut(part: Partial<Layout>) {
    const { layout } = this.store.getState();
    const next = { ...layout, ...part };
    const names = ["chosen_px", "time_px", "isLine", "isCodeOpen"] as const;
    if (names.some((name) => next[name] !== layout[name])) this.#store.setState({ layout: next });
  }

  /** Shows a notice: one sentence about what has just happened. */
  tell(text: string, undo: "undo" | null = null) {
    this.#store.setState({ notice: { text, undo } });
  }

  /** Removes the notice and the message about storage. */
  dismissNotice() {
    this.#store.setState({ notice: null, draft: "kept" });
  }

  // ---- requests to the engine

  /** Sets the number of frames in a cell of a large machine's map. */
  setCells(span: number) {
    this.#client.send({ kind: "cells", span });
  }

  /** Sets the counters of the timeline: two numbers each. */
  setTracks(pairs: readonly number[]) {
    const asked = pairs.join();
    if (asked === this.#tracks) return;
    this.#tracks = asked;
    this.#client.send({ kind: "tracks", pairs });
  }

  /** Sets the details of zoomed maps that come with each frame. */
  look(layout: readonly ZoomRequest[]) {
    this.#client.send({ kind: "zoom", zooms: layout });
  }

  /** Tells the engine that the last frame is on screen. */
  painted() {
    this.#client.send({ kind: "painted" });
  }

  /** Asks the engine a question. */
  ask<K extends Question["kind"]>(
    question: Extract<Question, { kind: K }>,
  ): Promise<Extract<Answer, { kind: K }>> {
    return this.#client.ask(question);
  }

  /** A separate log reader; several can be used at once. */
  log(): AskLog {
    return this.#logs.reader();
  }

  // ---- events from the engine

  #hear(event: EngineEvent) {
    switch (event.kind) {
      case "ready":
        return this.#ready(event);
      case "opened":
        return this.#opened(event.info, event.canonical);
      case "refused":
        return this.#refused(event.refusals, event.nearest);
      case "unread":
        return this.#unread(event.message);
      case "frame":
        return this.#frame(event.frame);
      case "progress":
        return this.#progress(event);
      case "trapped":
        return this.#trapped(event);
      case "ended":
        return this.#ended();
      case "silent":
        return this.#silent();
      case "back":
        return this.#back();
      case "sign":
      case "lives":
        return;
      case "unavailable":
        return this.#unavailable(event.message);
      case "answer":
        return;
      default:
        return unreachable(event);
    }
  }

  #ready({ version, catalog, presets }: Extract<EngineEvent, { kind: "ready" }>) {
    this.#tracks = "";
    this.#store.setState({ engine: { kind: "ready", version, catalog, presets } });
    const isAgain = this.store.getState().trap !== null;
    this.#store.setState({ trap: null });
    if (this.#restart && isAgain) {
      // The setup around the machine is preserved.
      this.#client.send({ kind: "open", ...this.#restart });
      return;
    }
    if (!this.#ownsAddress && !this.#isEmbedded) return;
    const address = readFragment(location.hash);
    const whole = address.page === "workbench" && this.#ownsAddress ? readTab(address.x) : null;
    if (whole !== null && this.#openPacked(whole, "draft")) return;
    const names = address.page === "workbench" && (address.x ?? address.preset);
    if (!names) this.openDraft();
    this.#openAddress(address);
  }

  #opened(info: Info, canonical: string) {
    const pending = this.#pending;
    this.#pending = null;
    this.#arrival.stop();
    const session = { info, experiment: canonical, frame: null, before: null };
    const open = this.store.getState();
    const isSame = open.session?.experiment === canonical;
    this.#store.setState({
      result: isSame ? open.result : (pending?.result ?? null),
      session: { ...session, timeline: new Float64Array() },
      refusal: null,
      packed: null,
      ...pending?.setup,
    });
    this.reproduction.reset();
    this.#restart = { json: canonical, goal: pending?.goal ?? this.#restart?.goal ?? START };
    if (pending) this.#settleIn(pending);
    this.stops.forget();
    this.story.opened();
    const { followed } = this.store.getState();
    if (followed !== null) this.#client.send({ kind: "follow", task: followed });
    const postponed = this.#postponed;
    this.#postponed = null;
    if (postponed) this.#open(postponed);
  }

  /** The sent experiment is open: updates saving, undo and the caption, and informs the caller. */
  #settleIn(pending: PendingOpen) {
    const { source, leaving, link = null, isOwn = false, judged } = pending;
    this.#refusedOpen = null;
    this.#arrival.begin(link, isOwn);
    this.changes.replaced(leaving);
    const isElsewhere = isFromElsewhere(pending);
    if (isElsewhere) this.saving.leave();
    else if (leaving?.setup) this.saving.turnAway();
    this.saving.opened({ isLink: source === "link", own: isOwn ? (pending.packed ?? null) : null });
    const { title, note } = this.store.getState();
    this.#store.setState({ isCaptionOpen: isElsewhere && (title !== "" || note !== "") });
    this.#isToCheck = isElsewhere;
    judged?.([]);
  }

  #refused(refusals: readonly Refusal[], nearest: string | null) {
    const pending = this.#pending;
    this.#pending = null;
    this.#refusedOpen = pending;
    if (pending?.judged) return pending.judged(refusals);
    const source = pending?.source ?? "choice";
    if (source === "draft") return this.openPreset(FIRST_SCENARIO, { kind: "first-refusal" });
    // The open experiment continues to be saved.
    this.saving.soon();
    this.refuse({ source, why: "invalid", detail: "", refusals, nearest });
  }

  #unread(message: string) {
    if (this.#pending?.judged) return this.#refused([{ path: "", reason: message }], null);
    const source = this.#pending?.source ?? "choice";
    this.#refusedOpen = this.#pending;
    this.#pending = null;
    this.refuse({ source, why: "unread", detail: message, refusals: [], nearest: null });
  }

  /** The worker did not start. If a machine was running in the worker, that machine is lost. */
  #unavailable(message: string) {
    const { session, engine } = this.store.getState();
    const position = session?.frame?.view.position;
    if (position && engine.kind === "ready") return this.#trapped({ message, position });
    this.#store.setState({ engine: { kind: "unavailable", message } });
  }

  #frame(frame: Frame) {
    const { session, longRun, scrub_ns, trap } = this.store.getState();
    // Pending frames of a broken engine do not determine the restart position.
    if (!session || trap) return;
    const isManual = frame.cause === "stepped" || frame.cause === "back";
    const before = keepsBefore(frame.cause)
      ? session.before
      : isManual || frame.cause === "told"
        ? (session.frame?.view ?? null)
        : null;
    const timeline = frame.timeline ?? session.timeline;
    const isSeeking = frame.mode.kind === "seeking";
    this.#store.setState({
      session: { ...session, frame, before, timeline },
      longRun: isSeeking ? longRun : null,
    });
    if (isSeeking) return;
    this.story.hear(frame);
    if (frame.cause !== "view") this.#store.setState({ hit: null });
    this.stops.arm();
    if (frame.found) this.stops.hear(frame, frame.found);
    // The playhead announces its own drags; any other jump is announced here.
    const isJump = frame.cause === "sought" && (scrub_ns === null || frame.view.position.ended);
    if (isManual || isJump || frame.cause === "paused" || (longRun && frame.cause !== "view")) {
      this.#say(narrate(frame));
    }
    if (frame.mode.kind === "playing") this.saving.atMoment();
    if (frame.mode.kind !== "paused") return;
    this.#store.setState({ scrub_ns: null });
    const { step } = frame.view.position;
    if (this.#restart) this.#restart.goal = { kind: "step", step: Math.max(0, step) };
    if (!this.#arrival.isThere(frame)) return;
    if (this.#isToCheck) this.checkResult();
    this.saving.soon();
  }

  /**
   * Progress of a long run: the step count and sometimes the timeline; the drawing does not change.
   */
  #progress({ longRun, timeline }: Extract<EngineEvent, { kind: "progress" }>) {
    const { session, longRun: last } = this.store.getState();
    if (!session) return;
    this.#store.setState({ longRun });
    if (timeline) this.#store.setState({ session: { ...session, timeline } });
    const part = (of: LongRun) => Math.floor((shareOf(of) ?? 0) * WAY_PARTS);
    if (!last || part(last) !== part(longRun)) this.#say(narrateLongRun(longRun));
  }

  #trapped({ message, position }: Omit<Extract<EngineEvent, { kind: "trapped" }>, "kind">) {
    this.#pending?.judged?.([{ path: "", reason: message }]);
    this.#pending = null;
    this.story.player.stop();
    this.#store.setState({ trap: { message, position, why: "broke" }, longRun: null });
    if (this.#restart && position) {
      this.#restart.goal = { kind: "step", step: Math.max(0, position.step - 1) };
    }
  }

  /** The worker has ended without a message. A restart begins at the last position shown. */
  #ended() {
    if (this.store.getState().trap?.why === "broke") return;
    const position = this.store.getState().session?.frame?.view.position ?? null;
    const message = CONTROLLER.workerEnded;
    this.#trapped({ message, position });
    this.#store.setState({ trap: { message, position, why: "ended" } });
    if (this.#restart && position) this.#restart.goal = { kind: "step", step: position.step };
  }

  /** The worker may be dead or busy, so nothing in progress is cancelled. */
  #silent() {
    if (this.store.getState().trap) return;
    const position = this.store.getState().session?.frame?.view.position ?? null;
    const message = CONTROLLER.silent;
    this.#store.setState({ trap: { message, position, why: "silent" } });
    if (this.#restart && position) this.#restart.goal = { kind: "step", step: position.step };
  }

  /** The worker was only busy: its next message shows its position. */
  #back() {
    if (this.store.getState().trap?.why !== "silent") return;
    this.#store.setState({ trap: null });
    const { followed } = this.store.getState();
    this.#client.send({ kind: "follow", task: followed });
    this.painted();
  }

  // ---- draft, live region

  #touch() {
    this.saving.touch();
    this.#arrival.leave();
    if (this.store.getState().notice) this.#store.setState({ notice: null });
  }

  #say(text: string) {
    this.#store.setState({ announcement: text });
  }
}
