// The library in IndexedDB. Storage may be forbidden, full or broken. Each failure becomes a
// message, and no other part of the page depends on the database.

import { type DBSchema, type IDBPDatabase, openDB } from "idb";
import { sweepWithClassicLists } from "../link/classic-lists";
import { isFull } from "../stored";
import { DATABASE } from "./words";

/** A moment in the library. */
export interface Entry {
  readonly id: string;
  /** Whether the user saved the moment, or the page added it when it was replaced. */
  readonly kind: "saved" | "recent";
  /** The moment as a packed link. */
  readonly packed: string;
  /** When it was saved, ms since 1970. */
  readonly saved_ms: number;
}

/**
 * The result of one run of a published table's experiment, stored so that the run need not be
 * repeated.
 */
export interface StoredRun {
  /** Experiment, kernel, seed and engine version: another engine may give another result. */
  readonly id: string;
  /** "fsmark.teach". */
  readonly experiment: string;
  readonly kernel: string;
  /** When it was run, ms since 1970. */
  readonly run_ms: number;
  /** The part that the report shows, in the report's own format. */
  readonly result: unknown;
}

/** The result of a run that is found by the key of its experiment. */
export interface KeyedRun {
  /** The key, a space and the build of the engine. */
  readonly id: string;
  /** The key of the experiment. */
  readonly key: string;
  /** When it was run, ms since 1970. */
  readonly run_ms: number;
  /** The engine's JSON text of the result with all figures. */
  readonly result: string;
}

/** A sweep that the user defined. */
export interface StoredSweep {
  readonly id: string;
  /** The text of its file; see docs/sweeps.md. */
  readonly file: string;
  /** When it was last changed, ms since 1970. */
  readonly changed_ms: number;
}

interface Schema extends DBSchema {
  moments: { key: string; value: Entry };
  runs: { key: string; value: StoredRun; indexes: { experiment: string } };
  results: { key: string; value: KeyedRun };
  sweeps: { key: string; value: StoredSweep };
}

const NAME = "mmscope.moments";
const VERSION = 4;
/** The last version in which kernel 6.12 ran with the classic LRU lists by default. */
const LAST_WITH_CLASSIC_LISTS = 3;
/**
 * How long to wait for another tab with an older library before a message is shown, ms.
 */
const PATIENCE_MS = 3000;

/** A failure of the library, as a message for the user. */
export class LibraryError extends Error {}

/** The moments that the user saved in this browser. */
export class Database {
  #open: Promise<IDBPDatabase<Schema>> | null = null;
  readonly #changed: () => void;
  readonly #channel = openChannel();

  /** @param changed called when this or another tab has changed the library */
  constructor(changed: () => void) {
    this.#changed = changed;
    if (this.#channel) this.#channel.onmessage = changed;
  }

  /** Removes the listeners, and lets other tabs upgrade the library. */
  close() {
    this.#channel?.close();
    void this.#open?.then((database) => database.close()).catch(() => {});
    this.#open = null;
  }

  /** All moments, newest first. */
  async all(): Promise<readonly Entry[]> {
    return this.#attempt(async (database) => {
      const entries = await database.getAll("moments");
      return entries.sort((a, b) => b.saved_ms - a.saved_ms);
    });
  }

  /** Adds and removes moments in one transaction. */
  async change(change: { put?: readonly Entry[]; remove?: readonly string[] }): Promise<void> {
    await this.#attempt(async (database) => {
      const transaction = database.transaction("moments", "readwrite");
      const { store } = transaction;
      await Promise.all([
        ...(change.remove ?? []).map((id) => store.delete(id)),
        ...(change.put ?? []).map((entry) => store.put(entry)),
        transaction.done,
      ]);
    });
    this.#channel?.postMessage(null);
    this.#changed();
  }

  /** All saved runs, newest first. */
  async runs(): Promise<readonly StoredRun[]> {
    return this.#attempt(async (database) => {
      const runs = await database.getAll("runs");
      return runs.sort((a, b) => b.run_ms - a.run_ms);
    });
  }

  /** The saved runs of an experiment, without reading other runs. */
  async runsOf(experiment: string): Promise<readonly StoredRun[]> {
    return this.#attempt((database) => database.getAllFromIndex("runs", "experiment", experiment));
  }

  /** The stored results among these ids. */
  async keyedRuns(ids: readonly string[]): Promise<readonly KeyedRun[]> {
    return this.#attempt(async (database) => {
      const { store } = database.transaction("results");
      const found = await Promise.all(ids.map((id) => store.get(id)));
      return found.filter((run) => run !== undefined);
    });
  }

  /** Saves and removes results in one transaction. */
  async changeKeyedRuns(change: { put?: readonly KeyedRun[]; remove?: readonly string[] }) {
    await this.#attempt(async (database) => {
      const transaction = database.transaction("results", "readwrite");
      const { store } = transaction;
      await Promise.all([
        ...(change.remove ?? []).map((id) => store.delete(id)),
        ...(change.put ?? []).map((run) => store.put(run)),
        transaction.done,
      ]);
    });
  }

  /** Removes results of other builds of the engine, because this page cannot show them. */
  async removeOtherBuilds(build: string): Promise<void> {
    await this.#attempt(async (database) => {
      const transaction = database.transaction("results", "readwrite");
      const { store } = transaction;
      const old = (await store.getAllKeys()).filter((id) => !id.endsWith(` ${build}`));
      await Promise.all([...old.map((id) => store.delete(id)), transaction.done]);
    });
  }

  /** Removes all sweeps and their results. */
  async eraseSweeps(): Promise<void> {
    await this.#attempt(async (database) => {
      const transaction = database.transaction(["results", "sweeps"], "readwrite");
      await Promise.all([
        transaction.objectStore("results").clear(),
        transaction.objectStore("sweeps").clear(),
        transaction.done,
      ]);
    });
  }

  /** All saved sweeps, the last changed one first. */
  async sweeps(): Promise<readonly StoredSweep[]> {
    return this.#attempt(async (database) => {
      const sweeps = await database.getAll("sweeps");
      return sweeps.sort((a, b) => b.changed_ms - a.changed_ms);
    });
  }

  /** Saves a sweep in place of the one with its id. */
  async putSweep(sweep: StoredSweep): Promise<void> {
    await this.#attempt((database) => database.put("sweeps", sweep));
  }

  /** Removes a sweep. */
  async removeSweep(id: string): Promise<void> {
    await this.#attempt((database) => database.delete("sweeps", id));
  }

  /** Saves runs, which replace those with the same id, and removes others. */
  async changeRuns(change: { put?: readonly StoredRun[]; remove?: readonly string[] }) {
    await this.#attempt(async (database) => {
      const transaction = database.transaction("runs", "readwrite");
      const { store } = transaction;
      await Promise.all([
        ...(change.remove ?? []).map((id) => store.delete(id)),
        ...(change.put ?? []).map((run) => store.put(run)),
        transaction.done,
      ]);
    });
    this.#channel?.postMessage(null);
    this.#changed();
  }

  async #attempt<T>(work: (database: IDBPDatabase<Schema>) => Promise<T>): Promise<T> {
    try {
      this.#open ??= this.#connect();
      return await work(await this.#open);
    } catch (error) {
      // After a failed or closed connection the next request opens another.
      this.#open = null;
      throw error instanceof LibraryError ? error : new LibraryError(sentenceOf(error));
    }
  }

  #connect(): Promise<IDBPDatabase<Schema>> {
    let isBlocked = false;
    const connected = openDB<Schema>(NAME, VERSION, {
      // The upgrade preserves moments and runs of every earlier version.
      upgrade: async (database, from, _to, transaction) => {
        const { objectStoreNames: names } = database;
        if (!names.contains("moments")) database.createObjectStore("moments", { keyPath: "id" });
        if (!names.contains("runs")) database.createObjectStore("runs", { keyPath: "id" });
        if (!names.contains("results")) database.createObjectStore("results", { keyPath: "id" });
        if (!names.contains("sweeps")) database.createObjectStore("sweeps", { keyPath: "id" });
        const runs = transaction.objectStore("runs");
        if (!runs.indexNames.contains("experiment")) runs.createIndex("experiment", "experiment");
        if (from > LAST_WITH_CLASSIC_LISTS) return;
        const sweeps = transaction.objectStore("sweeps");
        for (const sweep of await sweeps.getAll()) {
          await sweeps.put({ ...sweep, file: fileWithClassicLists(sweep.file) });
        }
      },
      blocked: () => {
        isBlocked = true;
      },
      // Closes the connection if another tab upgrades the library, so that the other tab does not
      // have to wait.
      blocking: (_current, _blocked, event) => {
        (event.target as IDBDatabase).close();
        this.#open = null;
      },
      terminated: () => {
        this.#open = null;
      },
    });
    const impatient = new Promise<never>((_, reject) => {
      setTimeout(() => reject(new LibraryError(isBlocked ? BLOCKED : SILENT)), PATIENCE_MS);
    });
    // A connection that opens after the time-out is closed.
    connected.then((database) => this.#open === null && database.close()).catch(() => {});
    return Promise.race([connected, impatient]);
  }
}

/** The file of a sweep from before; a text that is no file stays as it is. */
function fileWithClassicLists(file: string): string {
  try {
    const old = JSON.parse(file);
    const upgraded = sweepWithClassicLists(old);
    return upgraded === old ? file : `${JSON.stringify(upgraded, null, 2)}\n`;
  } catch {
    return file;
  }
}

const BLOCKED = DATABASE.blocked;
const SILENT = DATABASE.silent;

function sentenceOf(error: unknown): string {
  if (isFull(error)) {
    return DATABASE.full;
  }
  const name = error instanceof DOMException ? error.name : "";
  if (name === "VersionError") {
    return DATABASE.newer;
  }
  if (/Security|InvalidState|NotAllowed/.test(name) || !isThere()) {
    return DATABASE.denied;
  }
  const message = error instanceof Error ? error.message : String(error);
  return DATABASE.failed(message);
}

/** If storage is denied, some browsers throw and others have no `indexedDB`. */
function isThere(): boolean {
  try {
    return Boolean(indexedDB);
  } catch {
    return false;
  }
}

function openChannel(): BroadcastChannel | null {
  try {
    return new BroadcastChannel(NAME);
  } catch {
    return null;
  }
}
