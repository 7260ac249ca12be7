// Everything a person can do, as functions on one store and one engine. Components call these and
// read the store; nothing else talks to the engine.

import { EngineClient, type Port } from "../engine/client";
import type { Answer, EngineEvent, Frame, Goal, Question, Way, ZoomLook } from "../engine/protocol";
import { unreachable } from "../engine/protocol";
import type { Info, Refusal } from "../engine/types";
import { keepDraft, readDraft } from "../link/draft";
import { type Link, type LinkRefusal, openLink, writeLink } from "../link/link";
import { type Place, readFragment, replacePlace, watchPlace } from "../link/router";
import { verdict } from "./arrival";
import { goalOf, keepsBefore, shareOf } from "./goals";
import { fromLinked, type Kept, NOTHING_KEPT, toLinked } from "./kept";
import { narrate, narrateWay } from "./narration";
import { paceAt } from "./pace";
import { Stops } from "./stops";
import {
  createWorkbenchStore,
  type Key,
  type Left,
  modeOf,
  type OpenRefusal,
  type WorkbenchStore,
} from "./store";
import { Zooms } from "./zooms";

/** The experiment a first visit opens. */
export const FIRST_SCENARIO = "first-touch.teach";
/** The address and the draft follow this long after the page came to rest, ms. */
const SAVE_AFTER_MS = 150;
const MOST_SELECTED = 8;
/** How many changes can be undone. */
const MOST_LEFT = 50;
/** How often a long way is read out: at its start, then every tenth of it. */
const WAY_PARTS = 10;

type Source = OpenRefusal["source"];

/** One page's engine, store and actions. */
export class Workbench {
  readonly store: WorkbenchStore = createWorkbenchStore();
  /** Breakpoints, and the way back to a value's last change. */
  readonly stops: Stops;
  /** What the page maps show. */
  readonly zooms: Zooms;
  readonly #client: EngineClient;
  #source: Source = "choice";
  #arriving: Link | null = null;
  #isOwnDraft = false;
  /** What an experiment that is being opened would replace. */
  #leaving: Left | null = null;
  /** Whom the verdict on an edited experiment is told. */
  #judged: ((refusals: readonly Refusal[]) => void) | null = null;
  /** The last experiment the engine opened, with where it stood: a trap restarts there. */
  #restart: { json: string; goal: Goal } | null = null;
  #saveTimer: ReturnType<typeof setTimeout> | undefined;
  /** Looking at a shared link does not replace a person's own draft; acting on it does. */
  #mayKeepDraft = false;
  readonly #unwatch: () => void;
  /** The page's own workbench: the address and the draft follow it. A stage in a text has neither. */
  readonly #ownsAddress: boolean;

  constructor(start?: () => Port, { ownsAddress = true } = {}) {
    this.#ownsAddress = ownsAddress;
    this.#client = new EngineClient((event) => this.#hear(event), start);
    this.stops = new Stops(this.store, {
      send: (request) => this.#client.send(request),
      say: (words) => this.#say(words),
      touch: () => this.#touch(),
      save: () => this.#save(),
    });
    this.zooms = new Zooms(this.store, { keep: (kept) => this.keep(kept) });
    this.#unwatch = ownsAddress ? watchPlace((place) => this.#openPlace(place)) : () => {};
  }

  /** Ends the worker and all listening. */
  dispose() {
    clearTimeout(this.#saveTimer);
    this.#unwatch();
    this.#client.dispose();
  }

  // ---- opening

  /** Opens an experiment given as JSON text. */
  open(json: string, source: Source, goal: Goal = { kind: "start" }) {
    this.#leaving = source === "choice" ? this.#present() : null;
    this.#source = source;
    this.#mayKeepDraft = source !== "link";
    this.store.setState({ refusal: null, trap: null, notice: null, scrub_ns: null, way: null });
    this.#restart = { json, goal };
    this.#client.send({ kind: "open", json, goal });
  }

  /** Opens a ready-made experiment at its start. */
  openPreset(id: string, goal: Goal = { kind: "start" }) {
    const { engine } = this.store.getState();
    const json = engine.kind === "ready" ? engine.presets[id] : undefined;
    this.#forget();
    if (json) this.open(json, "choice", goal);
  }

  /** Changes one field of the experiment and opens it at its start. */
  change(field: "kernel" | "machine" | "workload", value: string) {
    const { session } = this.store.getState();
    if (!session) return;
    const experiment: Record<string, unknown> = JSON.parse(session.experiment);
    this.#forget();
    this.open(JSON.stringify({ ...experiment, id: "", [field]: value }), "choice");
  }

  /**
   * Opens an edited experiment, or says why it cannot be; then everything stays as it was.
   * Breakpoints and what is selected stay in any case.
   */
  edit(json: string, goal: Goal = { kind: "start" }): Promise<readonly Refusal[]> {
    const leaving = this.#present();
    this.#arriving = null;
    return new Promise((tell) => {
      this.#judged = (refusals) => {
        if (refusals.length === 0) this.#replaced(leaving);
        tell(refusals);
      };
      this.#leaving = null;
      this.#source = "choice";
      this.#mayKeepDraft = true;
      this.#restart = { json, goal };
      this.#client.send({ kind: "open", json, goal });
    });
  }

  /** Opens what the last change replaced, where one stood in it. */
  undo() {
    this.#travel("past", "future");
  }

  /** Opens what undoing replaced. */
  redo() {
    this.#travel("future", "past");
  }

  #travel(from: "past" | "future", to: "past" | "future") {
    const state = this.store.getState();
    const present = this.#present();
    const target = state[from].at(-1);
    if (!target || !present) return;
    this.#arriving = null;
    this.#source = "choice";
    this.#leaving = null;
    this.#mayKeepDraft = true;
    this.store.setState({ refusal: null, trap: null, scrub_ns: null, way: null });
    this.#restart = { json: target.json, goal: { kind: "step", step: target.step } };
    this.#client.send({ kind: "open", ...this.#restart });
    this.store.setState({
      [from]: state[from].slice(0, -1),
      [to]: [...state[to], present].slice(-MOST_LEFT),
      notice: to === "future" ? "The change is undone." : "The change is made again.",
    });
  }

  #present(): Left | null {
    const { session } = this.store.getState();
    if (!session?.frame) return null;
    return { json: session.experiment, step: session.frame.view.position.step };
  }

  #replaced(left: Left | null) {
    if (!left) return;
    const { past } = this.store.getState();
    this.store.setState({ past: [...past, left].slice(-MOST_LEFT), future: [] });
  }

  /** Opens the draft, or the first scenario where there is none. */
  openDraft() {
    const draft = readDraft();
    this.#isOwnDraft = true;
    if (draft === null || !this.#openPacked(draft, "draft")) {
      this.openPreset(FIRST_SCENARIO, { kind: "first-refusal" });
    }
  }

  /** Starts a new engine after a trap, one step before the one that broke it. */
  restart() {
    this.store.setState({ engine: { kind: "starting" } });
    this.#client.restart();
  }

  /** Opens once more what could not be read. */
  tryAgain() {
    if (this.#restart) this.open(this.#restart.json, this.#source, this.#restart.goal);
  }

  /** Leaves a refused link; what was open before stays. */
  dismissRefusal() {
    this.store.setState({ refusal: null });
    if (!this.store.getState().session) this.openDraft();
  }

  /** Opens what an address asks for; nothing where it shows what is open already. */
  #openPlace(place: Place) {
    if (place.page !== "workbench") return;
    const { x, preset, dialog } = place;
    if (x !== null && x !== this.store.getState().packed) this.#openPacked(x, "link");
    else if (preset) this.#openNamed(preset);
    if (dialog === "import") this.store.setState({ dialog });
  }

  #openNamed(preset: string) {
    const { engine } = this.store.getState();
    const isKnown = engine.kind === "ready" && Object.hasOwn(engine.presets, preset);
    if (isKnown) return this.openPreset(preset, { kind: "first-refusal" });
    const detail = `preset: there is no ready-made experiment "${preset}".`;
    this.#refuse({ source: "link", why: "invalid", detail, refusals: [], nearest: null });
  }

  #forget() {
    this.#arriving = null;
    const { face, isFolded, sideTab, isLogOpen } = this.store.getState();
    this.store.setState({ ...NOTHING_KEPT, face, isFolded, sideTab, isLogOpen });
  }

  /** Judges a packed link and opens it; says whether it was sound. */
  #openPacked(packed: string, source: Source): boolean {
    const { engine } = this.store.getState();
    if (engine.kind !== "ready") return false;
    const opened = openLink(packed, engine.presets);
    if (!opened.ok) {
      if (source === "link") this.#refuse({ source, ...opened, refusals: [], nearest: null });
      return false;
    }
    const { link } = opened;
    this.#isOwnDraft = source === "draft" || packed === readDraft();
    this.#arriving = link;
    this.store.setState(fromLinked(link));
    this.open(link.experiment, source, goalOf(link, engine.version));
    return true;
  }

  #refuse(refusal: Omit<OpenRefusal, "ok">) {
    this.store.setState({ refusal, notice: null });
  }

  // ---- the transport

  /** Runs the followed task's next point, call or return. */
  step(how: "into" | "over" | "out") {
    this.#touch();
    this.#client.send({ kind: "step", how, followed: this.store.getState().followed });
  }

  /** Takes one step, or one call, back. */
  back(how: "step" | "call") {
    this.#touch();
    this.#client.send({ kind: "back", how, followed: this.store.getState().followed });
  }

  /** Plays, or pauses what runs. */
  toggle() {
    if (modeOf(this.store.getState()) === "paused") this.play();
    else this.pause();
  }

  /** Plays at the chosen speed. */
  play() {
    const { session, paceIndex } = this.store.getState();
    if (session?.frame?.view.position.ended)
      return this.#say("The run has ended. Go back to play.");
    this.#touch();
    this.#client.send({ kind: "play", pace: paceAt(paceIndex) });
  }

  /** Stops where it is. */
  pause() {
    this.#client.send({ kind: "pause" });
  }

  /** Goes to the start of the run. */
  start() {
    this.seek({ kind: "start" });
  }

  /** Goes to the furthest point reached, or runs on to the end from there. */
  end() {
    const { session } = this.store.getState();
    const frame = session?.frame;
    if (!frame) return;
    const { step } = frame.furthest;
    if (frame.view.position.step < step) this.seek({ kind: "step", step });
    else this.runToEnd();
  }

  /** Runs at full speed to the end, from the furthest point reached. */
  runToEnd() {
    const frame = this.store.getState().session?.frame;
    if (!frame || frame.view.position.ended) return;
    const { step, ended } = frame.furthest;
    if (frame.view.position.step < step) this.seek({ kind: "step", step });
    this.#touch();
    if (!ended) this.#client.send({ kind: "end" });
  }

  /** Goes to a step or a time. */
  seek(goal: Goal) {
    this.#touch();
    this.store.setState({ scrub_ns: goal.kind === "time" ? goal.time_ns : null });
    this.#client.send({ kind: "go", goal });
  }

  /** Chooses a speed by its index. */
  setPace(paceIndex: number) {
    this.store.setState({ paceIndex });
    if (modeOf(this.store.getState()) === "playing")
      this.#client.send({ kind: "play", pace: paceAt(paceIndex) });
  }

  // ---- looking

  /** Lights something up everywhere, or nothing. */
  hover(hovered: Key | null) {
    if (this.store.getState().hovered !== hovered) this.store.setState({ hovered });
  }

  /** Selects or deselects; a selected task is also the one that steps act on. */
  select(key: Key) {
    const { selected } = this.store.getState();
    const isOff = selected.includes(key);
    const rest = selected.filter((other) => other !== key);
    const next = isOff ? rest : [...rest, key].slice(-MOST_SELECTED);
    this.store.setState({ selected: next });
    const [kind, id] = key.split(" ");
    if (kind === "task") this.follow(isOff ? null : Number(id));
    this.#save();
  }

  /** Clears the selection. */
  clearSelection() {
    this.store.setState({ selected: [] });
    this.follow(null);
  }

  /** Shows a task's stack, or that of whatever ran last. */
  follow(task: number | null) {
    if (this.store.getState().followed === task) return;
    this.store.setState({ followed: task });
    this.#client.send({ kind: "follow", task });
  }

  /** Shows a zone's free lists at its node. */
  showLists(node: number, zone: string) {
    const { lists } = this.store.getState();
    this.keep({ lists: { ...lists, [String(node)]: zone } });
  }

  /** Sets up something around the machine that a link carries. */
  keep(kept: Partial<Kept>) {
    this.store.setState(kept);
    this.#save();
  }

  /** Opens the event log, or closes it. */
  showLog(isLogOpen = !this.store.getState().isLogOpen) {
    this.store.setState({ dialog: null });
    this.keep({ isLogOpen });
  }

  /** Sets how many frames a cell of a big machine's map has. */
  setCells(span: number) {
    this.#client.send({ kind: "cells", span });
  }

  /** Sets what of the zoomed maps comes with each frame. */
  look(looks: readonly ZoomLook[]) {
    this.#client.send({ kind: "zoom", looks });
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

  // ---- what the engine says

  #hear(event: EngineEvent) {
    switch (event.kind) {
      case "ready":
        return this.#ready(event);
      case "opened":
        return this.#opened(event.info, event.canonical);
      case "refused":
        return this.#refused(event.refusals, event.nearest);
      case "unread":
        if (this.#judged) return this.#refused([{ path: "", reason: event.message }], null);
        return this.#refuse({
          source: this.#source,
          why: "unread",
          detail: event.message,
          refusals: [],
          nearest: null,
        });
      case "frame":
        return this.#frame(event.frame);
      case "progress":
        return this.#progress(event);
      case "trapped":
        return this.#trapped(event);
      case "unavailable":
        this.store.setState({ engine: { kind: "unavailable", message: event.message } });
        return;
      case "answer":
        return;
      default:
        return unreachable(event);
    }
  }

  #ready({ version, catalog, presets }: Extract<EngineEvent, { kind: "ready" }>) {
    this.store.setState({ engine: { kind: "ready", version, catalog, presets } });
    if (this.#restart && this.store.getState().trap) {
      this.open(this.#restart.json, this.#source, this.#restart.goal);
      return;
    }
    if (!this.#ownsAddress) return;
    const place = readFragment(location.hash);
    const names = place.page === "workbench" && (place.x ?? place.preset);
    if (!names) this.openDraft();
    this.#openPlace(place);
  }

  #opened(info: Info, canonical: string) {
    this.store.setState({
      session: {
        info,
        experiment: canonical,
        frame: null,
        before: null,
        timeline: new Float64Array(),
      },
      refusal: null,
      packed: null,
    });
    if (this.#restart) this.#restart = { ...this.#restart, json: canonical };
    this.#replaced(this.#leaving);
    this.#leaving = null;
    this.#judged?.([]);
    this.#judged = null;
    this.stops.forget();
    const { followed } = this.store.getState();
    if (followed !== null) this.#client.send({ kind: "follow", task: followed });
  }

  #refused(refusals: readonly Refusal[], nearest: string | null) {
    const source = this.#source;
    this.#leaving = null;
    const judged = this.#judged;
    this.#judged = null;
    if (judged) return judged(refusals);
    if (source === "draft") return this.openPreset(FIRST_SCENARIO, { kind: "first-refusal" });
    const why: LinkRefusal = "invalid";
    this.#refuse({ source, why, detail: "", refusals, nearest });
  }

  #frame(frame: Frame) {
    const { session, way, scrub_ns } = this.store.getState();
    if (!session) return;
    const isManual = frame.cause === "stepped" || frame.cause === "back";
    const before = keepsBefore(frame.cause)
      ? session.before
      : isManual
        ? (session.frame?.view ?? null)
        : null;
    const timeline = frame.timeline ?? session.timeline;
    const isUnderWay = frame.mode.kind === "seeking";
    this.store.setState({
      session: { ...session, frame, before, timeline },
      way: isUnderWay ? way : null,
    });
    if (isUnderWay) return;
    if (frame.cause !== "view") this.store.setState({ hit: null });
    this.stops.arm();
    if (frame.found) this.stops.hear(frame, frame.found);
    // The playhead says itself where it is dragged to; any other jump is told where it led.
    const isJump = frame.cause === "sought" && (scrub_ns === null || frame.view.position.ended);
    if (isManual || isJump || frame.cause === "paused" || (way && frame.cause !== "view")) {
      this.#say(narrate(frame));
    }
    if (frame.mode.kind !== "paused") return;
    this.store.setState({ scrub_ns: null });
    const { step } = frame.view.position;
    if (this.#restart) this.#restart.goal = { kind: "step", step: Math.max(0, step) };
    if (this.#arriving?.cursor && frame.cause === "opened") void this.#arrive(this.#arriving);
    this.#save();
  }

  /** A long way goes on: the count and, once in a while, the timeline; the picture stays. */
  #progress({ way, timeline }: Extract<EngineEvent, { kind: "progress" }>) {
    const { session, way: last } = this.store.getState();
    if (!session) return;
    this.store.setState({ way });
    if (timeline) this.store.setState({ session: { ...session, timeline } });
    const part = (of: Way) => Math.floor((shareOf(of) ?? 0) * WAY_PARTS);
    if (!last || part(last) !== part(way)) this.#say(narrateWay(way));
  }

  #trapped({ message, position }: Extract<EngineEvent, { kind: "trapped" }>) {
    this.store.setState({ trap: { message, position }, way: null });
    if (this.#restart && position) {
      this.#restart.goal = { kind: "step", step: Math.max(0, position.step - 1) };
    }
  }

  /** Compares where a link said it was with where the engine is. */
  async #arrive(link: Link): Promise<void> {
    this.#arriving = null;
    const { engine } = this.store.getState();
    if (!link.cursor || engine.kind !== "ready" || this.#isOwnDraft) return;
    const { hash, position } = await this.#client.ask({ kind: "hash" });
    const notice = verdict(link.cursor, { hash, position, engine: engine.version });
    this.store.setState({ notice });
    this.#say(notice);
  }

  // ---- address, draft, live region

  #touch() {
    this.#mayKeepDraft = true;
    if (this.store.getState().notice) this.store.setState({ notice: null });
  }

  #say(said: string) {
    this.store.setState({ said });
  }

  #save() {
    clearTimeout(this.#saveTimer);
    this.#saveTimer = setTimeout(() => void this.save(), SAVE_AFTER_MS);
  }

  /** Writes the present moment into the address and the draft, and gives the packed link. */
  async save(): Promise<string | null> {
    const { engine, session } = this.store.getState();
    if (engine.kind !== "ready" || session?.frame?.mode.kind !== "paused") return null;
    const { hash, position } = await this.#client.ask({ kind: "hash" });
    const now = this.store.getState();
    const frame = now.session?.frame;
    if (!now.session || frame?.mode.kind !== "paused") return null;
    if (frame.view.position.step !== position.step) return null;
    const { step, time_ns } = position;
    const packed = writeLink(
      {
        experiment: now.session.experiment,
        cursor: { step, time_ns, hash, engine: engine.version },
        ...toLinked(now),
      },
      engine.presets,
    );
    this.store.setState({ packed });
    if (!this.#ownsAddress) return packed;
    if (!now.refusal) replacePlace({ page: "workbench", x: packed });
    if (this.#mayKeepDraft) this.store.setState({ draft: keepDraft(packed) });
    return packed;
  }
}
