// Actions of the user on the library. Two moments are equal if their links are.

import { createStore, type StoreApi } from "zustand/vanilla";
import { KEPT_LIMITS } from "../link/codec";
import { type Aside, readAside, workOf, writeAside } from "../link/draft";
import { type Link, openLink, type Presets, writeLink } from "../link/link";
import { Database, type Entry, LibraryError, type StoredRun } from "./database";
import type { SavedLink } from "./file";
import { LIBRARY } from "./words";

/** The maximum number of unreadable moments that the message names. */
const MOST_FAULTS = 5;
/** The maximum number of replaced drafts in the library. */
const MOST_RECENT = 10;

/** The state that the library's dialog shows. */
export interface LibraryState {
  /** Newest first; null until they are read. */
  readonly entries: readonly Entry[] | null;
  /** Saved results of reports, newest first. */
  readonly runs: readonly StoredRun[];
  /** The reason why the library cannot be read. */
  readonly fault: string | null;
  /** A message about the last action. */
  readonly message: string;
  /** The entries deleted last, while the deletion can be undone. */
  readonly deleted: readonly Entry[];
}

/** The result of importing a library. */
export interface Merged {
  readonly added: number;
  /** How many moments were already in the library. */
  readonly known: number;
}

/** The library of this browser, for one dialog. */
export class Library {
  readonly store: StoreApi<LibraryState> = createStore<LibraryState>(() => ({
    entries: null,
    runs: [],
    fault: null,
    message: "",
    deleted: [],
  }));
  readonly #presets: Presets;
  readonly #database = new Database(() => void this.read());

  constructor(presets: Presets) {
    this.#presets = presets;
    void this.#takeOver().finally(() => this.read());
  }

  /** Stops listening. */
  dispose() {
    this.#database.close();
  }

  /** Reads the database. */
  async read(): Promise<void> {
    try {
      const entries = await this.#database.all();
      this.store.setState({ entries, runs: await this.#database.runs(), fault: null });
    } catch (error) {
      this.store.setState({ fault: wordsOf(error) });
    }
  }

  /** Moves replaced drafts into the library, and deletes the oldest above the limit. */
  async #takeOver(): Promise<void> {
    const aside = readAside();
    if (aside.length === 0) return;
    try {
      const recent = (await this.#database.all()).filter(({ kind }) => kind === "recent");
      const put = aside.map(({ packed, at_ms }) => entryOf("recent", packed, at_ms));
      const isSame = (a: Entry, b: Entry) =>
        a.packed === b.packed || (workOf(a.packed) !== "" && workOf(a.packed) === workOf(b.packed));
      const stale = recent.filter((old) => put.some((fresh) => isSame(old, fresh)));
      const left = recent.filter((old) => !stale.includes(old));
      const surplus = left.slice(Math.max(0, MOST_RECENT - put.length));
      const remove = [...stale, ...surplus].map(({ id }) => id);
      await this.#database.change({ put, remove });
      forgetAside(aside);
    } catch {
      // The drafts stay where they are; reading the database will report the failure.
    }
  }

  /** The link of an entry; null if it cannot be read any more. */
  linkOf({ packed }: Entry): Link | null {
    const opened = openLink(packed, this.#presets, KEPT_LIMITS);
    return opened.ok ? opened.link : null;
  }

  /** Saves a moment. */
  async save(link: Link): Promise<void> {
    const packed = writeLink(link, this.#presets);
    const there = this.#saved().find((entry) => entry.packed === packed);
    if (there) return this.#say(LIBRARY.savedAlready);
    await this.#do({ put: [entryOf("saved", packed, Date.now())] }, "Saved.");
  }

  /** Changes the title of a moment. */
  async rename(entry: Entry, title: string): Promise<void> {
    const link = this.linkOf(entry);
    if (!link || link.title === title) return;
    const packed = writeLink({ ...link, title }, this.#presets);
    await this.#do({ put: [{ ...entry, packed }] }, "Renamed.");
  }

  /** Deletes a moment. The deletion can be undone until the next one. */
  async remove(entry: Entry): Promise<void> {
    if (await this.#do({ remove: [entry.id] }, "Deleted.")) {
      this.store.setState({ deleted: [entry] });
    }
  }

  /** Undoes the last deletion. */
  async undo(): Promise<void> {
    const { deleted } = this.store.getState();
    if (await this.#do({ put: deleted }, "Restored.")) this.store.setState({ deleted: [] });
  }

  /** Deletes results of reports for good: they can be run again. */
  async forget(runs: readonly StoredRun[]): Promise<void> {
    try {
      await this.#database.changeRuns({ remove: runs.map(({ id }) => id) });
      this.#say(runs.length === 1 ? LIBRARY.resultForgotten : LIBRARY.resultsForgotten);
    } catch (error) {
      this.#say(wordsOf(error));
    }
  }

  /** Deletes saved moments, results of reports, and sweeps with their results, for good. */
  async erase(): Promise<void> {
    const { entries, runs } = this.store.getState();
    const ids = (entries ?? []).map(({ id }) => id);
    forgetAside(readAside());
    if (runs.length > 0) await this.forget(runs);
    await this.#database.eraseSweeps().catch((error) => this.#say(wordsOf(error)));
    if (await this.#do({ remove: ids }, LIBRARY.erased)) {
      this.store.setState({ deleted: [] });
    }
  }

  /** All saved moments for a file, and the number of moments that cannot be read. */
  export(): SavedLink[] {
    const saved = this.#saved();
    const read = saved.flatMap((entry) => {
      const link = this.linkOf(entry);
      return link ? [{ link, saved_ms: entry.saved_ms }] : [];
    });
    const missing = saved.length - read.length;
    const words = LIBRARY.exportIncomplete(moments(missing), missing);
    this.#say(missing > 0 ? words : LIBRARY.exported(moments(read.length)));
    return read;
  }

  /** Imports the moments of a file; moments that already exist do not change. */
  async merge(moments: readonly SavedLink[], faults: readonly string[]): Promise<Merged> {
    const known = new Set(this.#saved().map(({ packed }) => packed));
    const put: Entry[] = [];
    for (const { link, saved_ms } of moments) {
      const packed = writeLink(link, this.#presets);
      if (!known.has(packed)) put.push(entryOf("saved", packed, saved_ms));
      known.add(packed);
    }
    const merged = { added: put.length, known: moments.length - put.length };
    const more = faults.length - MOST_FAULTS;
    const rest = more > 0 ? [LIBRARY.moreCannotBeRead(more.toLocaleString("en-GB"))] : [];
    const message = [mergedWords(merged), ...faults.slice(0, MOST_FAULTS), ...rest].join(" ");
    if (put.length === 0) this.#say(message);
    else if (!(await this.#do({ put }, message))) return { added: 0, known: merged.known };
    return merged;
  }

  #saved(): readonly Entry[] {
    return (this.store.getState().entries ?? []).filter(({ kind }) => kind === "saved");
  }

  #say(message: string) {
    this.store.setState({ message });
  }

  /** Makes a change and reports its success or failure. */
  async #do(change: Parameters<Database["change"]>[0], message: string): Promise<boolean> {
    try {
      await this.#database.change(change);
      this.store.setState({ message, deleted: [] });
      return true;
    } catch (error) {
      this.#say(wordsOf(error));
      return false;
    }
  }
}

/** Removes the drafts that the library has imported; later drafts stay. */
function forgetAside(taken: readonly Aside[]): void {
  const had = new Set(taken.map(({ packed }) => packed));
  writeAside(readAside().filter(({ packed }) => !had.has(packed)));
}

const moments = (n: number) => LIBRARY.moments(n);

function mergedWords({ added, known }: Merged): string {
  const skipped = known > 0 ? LIBRARY.alreadyHere(moments(known), known) : "";
  return LIBRARY.added(moments(added), skipped);
}

const entryOf = (kind: Entry["kind"], packed: string, saved_ms: number): Entry => ({
  // Two tabs that import the same draft therefore write the same entry.
  id: kind === "recent" ? `recent ${saved_ms}` : randomId(),
  kind,
  packed,
  saved_ms,
});

/** Also works on pages without HTTPS, which have no randomUUID. */
const randomId = () =>
  Array.from(crypto.getRandomValues(new Uint32Array(3)), (n) => n.toString(36)).join("-");

const wordsOf = (error: unknown): string =>
  error instanceof LibraryError ? error.message : LIBRARY.failed(String(error));
