// Saves the address and the draft once the page is at rest. A draft that another would replace is
// set aside first, and a page that is about to close saves at once.

import type { Answer } from "../engine/protocol";
import { forgetTab, keepDraft, keepInTab, putAside, readDraft, workOf } from "../link/draft";
import { type Link, mayBeLink, writeLink } from "../link/link";
import { readFragment, replaceAddress, urlOf } from "../link/router";
import type { LinkCursor } from "../link/schema";
import type { Stored } from "../stored";
import { toLinked } from "./setup";
import type { WorkbenchStore } from "./store";

/** Delay between the page's rest and saving, ms. */
const SAVE_AFTER_MS = 150;
/**
 * The longest delay while changes continue, ms; a running machine is saved when it comes to rest.
 */
const SAVE_WITHIN_MS = 450;

/** The longest wait for the engine's position before a reload, ms. */
const LEAVE_WITHIN_MS = 2000;

/** The shortest time between saved moments of playback, in ms and as a multiple of the time that
    saving takes. */
const MOMENT_EVERY_MS = 1000;
const MOMENT_SHARE = 20;

type HashAnswer = Extract<Answer, { kind: "hash" }>;

/** The parts of the workbench that this module needs. */
export interface Bench {
  readonly askHash: () => Promise<HashAnswer>;
  /** The page's own workbench updates the address and the draft; a stage in a text has neither. */
  readonly ownsAddress: boolean;
}

/** Saves what one workbench shows. */
export class Saving {
  readonly #store: WorkbenchStore;
  readonly #bench: Bench;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** When the oldest unsaved change was made, ms; null if there is none. */
  #waiting: number | null = null;
  /** The last position of the machine at rest, with its state hash. */
  #cursor: LinkCursor | null = null;
  /** Looking at a shared link does not replace the user's draft; acting on it does. */
  #mayKeep = false;
  /** The stored draft that this page continues: as it last read or wrote it. */
  #continued: string | null = null;
  #stored: Stored = "kept";
  /** When the next moment of playback may be saved, ms. */
  #nextMoment = 0;

  constructor(store: WorkbenchStore, bench: Bench) {
    this.#store = store;
    this.#bench = bench;
    if (!bench.ownsAddress) return;
    addEventListener("pagehide", this.#flush);
    document.addEventListener("visibilitychange", this.#hide);
  }

  /** Removes all listeners. */
  dispose() {
    this.settle();
    if (!this.#bench.ownsAddress) return;
    removeEventListener("pagehide", this.#flush);
    document.removeEventListener("visibilitychange", this.#hide);
  }

  /** The address belongs to another page already: unsaved changes go into the draft. */
  settle() {
    clearTimeout(this.#timer);
    const packed = this.pack();
    const isNew = packed !== null && packed !== this.#store.getState().packed;
    if (isNew && this.#mayKeep && this.#bench.ownsAddress) this.#keep(packed);
  }

  /** Another experiment was opened: a shared link, the user's own draft, or a new experiment. */
  opened({ isLink, own }: { isLink: boolean; own: string | null }) {
    this.#cursor = null;
    this.#mayKeep = own !== null || !isLink;
    if (own !== null) this.#continued = own;
  }

  /** An experiment from outside replaces the draft: backs up the draft, whatever it contains. */
  leave() {
    const draft = readDraft();
    if (!this.#bench.ownsAddress || draft === null) return;
    if (putAside(draft, Date.now()) === "kept") this.#continued = draft;
  }

  /** Another experiment replaces the draft: backs up the draft if it contains the user's work. */
  turnAway() {
    this.#continued = null;
  }

  /** The user has acted on the open experiment. */
  touch() {
    this.#mayKeep = true;
  }

  /** Saves after a short delay, so that quick changes are saved once. */
  soon() {
    clearTimeout(this.#timer);
    const now = performance.now();
    this.#waiting ??= now;
    const left = this.#waiting + SAVE_WITHIN_MS - now;
    this.#timer = setTimeout(() => void this.now(), Math.max(0, Math.min(SAVE_AFTER_MS, left)));
  }

  /** Writes the present moment to the address and the draft; returns the packed link. */
  async now(): Promise<string | null> {
    this.#waiting = null;
    const { engine, session, trap } = this.#store.getState();
    if (engine.kind !== "ready" || session?.frame?.mode.kind !== "paused" || trap) return null;
    const { hash, position } = await this.#bench.askHash();
    const there = this.#store.getState().session;
    const { step, time_ns } = position;
    const isStill = there?.info === session.info && there.frame?.mode.kind === "paused";
    if (!isStill || there.frame?.view.position.step !== step) return null;
    this.#cursor = { step, time_ns, hash, engine: engine.version };
    const packed = this.pack();
    if (packed !== null) this.#put(packed);
    return packed;
  }

  /** Saves the present moment before the page reloads itself, without a long wait. */
  async beforeReload(): Promise<void> {
    const waited = new Promise((resolve) => setTimeout(resolve, LEAVE_WITHIN_MS));
    await Promise.race([this.now().catch(() => null), waited]);
    this.settle();
  }

  /** During playback: saves the position, so that a reload returns there. */
  atMoment() {
    const now = performance.now();
    if (!this.#mayKeep || now < this.#nextMoment) return;
    this.#nextMoment = Number.POSITIVE_INFINITY;
    void this.#keepMoment(now);
  }

  async #keepMoment(asked: number) {
    const { engine, session } = this.#store.getState();
    if (engine.kind !== "ready" || !session) return;
    const { hash, position } = await this.#bench.askHash();
    // Hashing a large machine takes long, so the hash is requested less often.
    const took = performance.now() - asked;
    this.#nextMoment = performance.now() + Math.max(MOMENT_EVERY_MS, took * MOMENT_SHARE);
    if (this.#store.getState().session?.info !== session.info) return;
    const { step, time_ns } = position;
    this.#cursor = { step, time_ns, hash, engine: engine.version };
    const packed = this.pack();
    if (packed !== null) this.#put(packed);
  }

  /** The present moment with the setup around it; the last one if the machine is not at rest. */
  async rest(): Promise<Link | null> {
    await this.now();
    return this.#link();
  }

  #link(): Link | null {
    const state = this.#store.getState();
    if (!state.session || !this.#cursor) return null;
    return { experiment: state.session.experiment, cursor: this.#cursor, ...toLinked(state) };
  }

  /** The last moment at rest, packed with the setup around it. */
  pack(): string | null {
    const { engine } = this.#store.getState();
    const link = this.#link();
    return engine.kind === "ready" && link ? writeLink(link, engine.presets) : null;
  }

  /** Saves without asking the engine: the last position at rest, with the present setup. */
  #flush = () => {
    clearTimeout(this.#timer);
    const packed = this.pack();
    if (packed !== null && packed !== this.#store.getState().packed) this.#put(packed);
  };

  #hide = () => {
    if (document.visibilityState !== "hidden") return;
    this.#flush();
    void this.now();
  };

  #put(packed: string) {
    this.#store.setState({ packed });
    if (!this.#bench.ownsAddress) return;
    if (this.#mayKeep) this.#keep(packed);
    if (!this.#store.getState().refusal) this.#show(packed);
  }

  #keep(packed: string) {
    const state = this.#replace(packed);
    if (state === "kept") this.#continued = packed;
    // Reports a change only once, because the user may have dismissed the message.
    if (state !== this.#stored) this.#store.setState({ draft: state });
    this.#stored = state;
  }

  /**
   * Backs up a draft from another tab or from before a choice; if the backup fails, does not
   * overwrite the draft.
   */
  #replace(packed: string): Stored {
    const stored = readDraft();
    if (stored !== null && stored !== this.#continued) {
      const work = workOf(stored);
      const state = work && work !== workOf(packed) ? putAside(stored, Date.now()) : "kept";
      if (state !== "kept") return state;
    }
    return keepDraft(packed);
  }

  /** Shows a packed link in the address; if it is too long, stores it in the tab instead. */
  #show(packed: string) {
    const address = { page: "workbench", x: packed } as const;
    // After navigation the address belongs to the new page.
    if (readFragment(location.hash).page !== "workbench") return;
    if (mayBeLink(urlOf(address), packed)) {
      replaceAddress(address);
      forgetTab();
    } else if (this.#mayKeep) {
      const there = readFragment(location.hash);
      keepInTab(there.page === "workbench" ? there.x : null, packed);
    }
  }
}
