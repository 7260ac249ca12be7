// The address and the draft follow the page once it rests. What another draft would take the place
// of is put aside first, and a page that is about to close saves what it has at once.

import type { Answer } from "../engine/protocol";
import { forgetTab, keepDraft, keepInTab, putAside, readDraft, workOf } from "../link/draft";
import { type Link, mayBeLink, writeLink } from "../link/link";
import { readFragment, replaceAddress, urlOf } from "../link/router";
import type { LinkCursor } from "../link/schema";
import type { Stored } from "../stored";
import { toLinked } from "./kept";
import type { WorkbenchStore } from "./store";

/** The address and the draft follow this long after the page came to rest, ms. */
const SAVE_AFTER_MS = 150;
/** Who never rests is not waited for longer than this, ms; a machine on its way is saved when it rests. */
const SAVE_WITHIN_MS = 450;

/** A page that is about to reload waits this long at most for the engine to say where it stands, ms. */
const LEAVE_WITHIN_MS = 2000;

/** A moment of what plays is kept this often at most, ms, and so many times as long as that takes. */
const MOMENT_EVERY_MS = 1000;
const MOMENT_SHARE = 20;

type HashAnswer = Extract<Answer, { kind: "hash" }>;

/** What it needs of the workbench. */
export interface Bench {
  readonly askHash: () => Promise<HashAnswer>;
  /** The page's own workbench: the address and the draft follow it. A stage in a text has neither. */
  readonly ownsAddress: boolean;
}

/** Keeps what one workbench shows. */
export class Saving {
  readonly #store: WorkbenchStore;
  readonly #bench: Bench;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** When the oldest change that waits to be saved was made, ms; null where none waits. */
  #waiting: number | null = null;
  /** Where the machine last rested, with its state hash. */
  #cursor: LinkCursor | null = null;
  /** Looking at a shared link does not replace a person's own draft; acting on it does. */
  #mayKeep = false;
  /** The stored draft this page goes on with: as it was last read or written here. */
  #continued: string | null = null;
  #said: Stored = "kept";
  /** When a moment of what plays may be kept next, ms. */
  #nextMoment = 0;

  constructor(store: WorkbenchStore, bench: Bench) {
    this.#store = store;
    this.#bench = bench;
    if (!bench.ownsAddress) return;
    addEventListener("pagehide", this.#flush);
    document.addEventListener("visibilitychange", this.#hide);
  }

  /** Ends all listening. */
  dispose() {
    this.settle();
    if (!this.#bench.ownsAddress) return;
    removeEventListener("pagehide", this.#flush);
    document.removeEventListener("visibilitychange", this.#hide);
  }

  /** The address belongs to something else already: what was not saved yet goes into the draft. */
  settle() {
    clearTimeout(this.#timer);
    const packed = this.pack();
    const isNew = packed !== null && packed !== this.#store.getState().packed;
    if (isNew && this.#mayKeep && this.#bench.ownsAddress) this.#keep(packed);
  }

  /** Another experiment is open: a link only to look at, a person's own draft, or a new thing. */
  opened({ isLink, own }: { isLink: boolean; own: string | null }) {
    this.#cursor = null;
    this.#mayKeep = own !== null || !isLink;
    if (own !== null) this.#continued = own;
  }

  /** The draft is left for something from elsewhere: it is put aside, whatever it holds. */
  leave() {
    const draft = readDraft();
    if (!this.#bench.ownsAddress || draft === null) return;
    if (putAside(draft, Date.now()) === "kept") this.#continued = draft;
  }

  /** The draft is left for another experiment: what was made in it is put aside. */
  turnAway() {
    this.#continued = null;
  }

  /** The person has acted on what is open. */
  touch() {
    this.#mayKeep = true;
  }

  /** Saves soon; a page that changes quickly is saved once. */
  soon() {
    clearTimeout(this.#timer);
    const now = performance.now();
    this.#waiting ??= now;
    const left = this.#waiting + SAVE_WITHIN_MS - now;
    this.#timer = setTimeout(() => void this.now(), Math.max(0, Math.min(SAVE_AFTER_MS, left)));
  }

  /** Writes the present moment into the address and the draft, and gives the packed link. */
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

  /** Saves the present moment before the page reloads itself, without waiting for long. */
  async beforeReload(): Promise<void> {
    const waited = new Promise((resolve) => setTimeout(resolve, LEAVE_WITHIN_MS));
    await Promise.race([this.now().catch(() => null), waited]);
    this.settle();
  }

  /** While it plays: keeps where it has come to, so that a reload returns there. */
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
    // A large machine takes long to hash: it is asked the less.
    const took = performance.now() - asked;
    this.#nextMoment = performance.now() + Math.max(MOMENT_EVERY_MS, took * MOMENT_SHARE);
    if (this.#store.getState().session?.info !== session.info) return;
    const { step, time_ns } = position;
    this.#cursor = { step, time_ns, hash, engine: engine.version };
    const packed = this.pack();
    if (packed !== null) this.#put(packed);
  }

  /** The present moment with all that is kept around it; where it is not at rest, the last one. */
  async rest(): Promise<Link | null> {
    await this.now();
    return this.#link();
  }

  #link(): Link | null {
    const state = this.#store.getState();
    if (!state.session || !this.#cursor) return null;
    return { experiment: state.session.experiment, cursor: this.#cursor, ...toLinked(state) };
  }

  /** The moment the machine last rested at, packed with all that is kept around it. */
  pack(): string | null {
    const { engine } = this.#store.getState();
    const link = this.#link();
    return engine.kind === "ready" && link ? writeLink(link, engine.presets) : null;
  }

  /** Nobody can be asked any more: the machine stands where it last rested, the rest is as it is. */
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
    // Once said is enough: the sentence may have been dismissed.
    if (state !== this.#said) this.#store.setState({ draft: state });
    this.#said = state;
  }

  /** A draft from another tab, or from before a choice, is put aside first or stays. */
  #replace(packed: string): Stored {
    const stored = readDraft();
    if (stored !== null && stored !== this.#continued) {
      const work = workOf(stored);
      const state = work && work !== workOf(packed) ? putAside(stored, Date.now()) : "kept";
      if (state !== "kept") return state;
    }
    return keepDraft(packed);
  }

  /** Shows a packed link in the address; work too long for it is noted in the tab instead. */
  #show(packed: string) {
    const address = { page: "workbench", x: packed } as const;
    // On the way to another page the address is that page's; of this one it has gone to the history.
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
