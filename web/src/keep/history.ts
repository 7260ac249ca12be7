// The history of the user's runs, in a separate database in this browser. Each completed run is one
// entry; if the same run is made again, only its time changes. A storage failure becomes a message.

import { type DBSchema, type IDBPDatabase, openDB } from "idb";
import * as v from "valibot";
import { createStore, type StoreApi } from "zustand/vanilla";
import { isFull } from "../stored";
import { HISTORY } from "./history-words";

const text = (most: number) => v.pipe(v.string(), v.maxLength(most));
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

const run = v.strictObject({
  /** The id, which is equal for equal runs of the same engine. */
  id: text(80),
  title: text(400),
  /** Empty for a sweep. */
  kernel: text(200),
  /** Where the user made the run. */
  source: v.picklist(["workbench", "compare", "report", "sweep"]),
  /** The number of runs that the entry represents. */
  runs: v.pipe(count, v.minValue(1)),
  /** The time at which it was last made, ms since 1970. */
  made_ms: count,
  engine: text(64),
  build: text(64),
  /** The state hash at its end; empty for an entry of several runs. */
  hash: v.pipe(v.string(), v.regex(/^([0-9a-f]{16})?$/, HISTORY.badHash)),
  steps: count,
  time_ns: count,
  /** Counters that are not 0, by name. */
  figures: v.pipe(
    v.array(v.strictTuple([text(64), v.pipe(v.number(), v.finite())])),
    v.maxLength(400),
  ),
  /** The experiment as JSON text; empty for a sweep. */
  experiment: text(1_048_576),
  /** The address that opens the run, without the host: `#/...`. */
  address: v.pipe(text(2_097_152), v.regex(/^#\//, HISTORY.badAddress)),
  /** The user's note about the run. */
  note: v.optional(text(2000), ""),
});

const file = v.strictObject({
  format: v.literal("mmscope history"),
  v: v.literal(1),
  runs: v.pipe(v.array(run), v.maxLength(10_000)),
});

/** A run of the history. */
export type PastRun = v.InferOutput<typeof run>;

/** The state that the page of the history shows. */
export interface HistoryState {
  /** Newest first; null until they are read. */
  readonly runs: readonly PastRun[] | null;
  /** The reason why the history cannot be read or changed. */
  readonly fault: string | null;
  /** A message about the last action. */
  readonly said: string;
  /** The runs deleted last, while the deletion can be undone. */
  readonly deleted: readonly PastRun[];
}

interface Schema extends DBSchema {
  runs: { key: string; value: PastRun };
}

const NAME = "mmscope.history";

/** A short id of a text: two 32-bit FNV-1a hashes. */
export function idOf(of: string): string {
  let [a, b] = [0x811c9dc5, 0x01000193];
  for (let i = 0; i < of.length; i += 1) {
    a = Math.imul(a ^ of.charCodeAt(i), 0x01000193);
    b = Math.imul(b ^ of.charCodeAt(of.length - 1 - i), 0x01000193);
  }
  return [a, b].map((half) => (half >>> 0).toString(16).padStart(8, "0")).join("");
}

/** The history of this browser. */
export class RunHistory {
  readonly store: StoreApi<HistoryState> = createStore<HistoryState>(() => ({
    runs: null,
    fault: null,
    said: "",
    deleted: [],
  }));
  #open: Promise<IDBPDatabase<Schema>> | null = null;
  readonly #channel = openChannel();

  constructor() {
    if (this.#channel) this.#channel.onmessage = () => void this.read();
  }

  /** Stops listening. */
  dispose() {
    this.#channel?.close();
    void this.#open?.then((database) => database.close()).catch(() => {});
    this.#open = null;
  }

  /** Reads all runs. */
  async read(): Promise<void> {
    await this.#attempt(async (database) => {
      const runs = await database.getAll("runs");
      this.store.setState({ runs: runs.sort((a, b) => b.made_ms - a.made_ms), fault: null });
    });
  }

  /** Adds a run. A run that already exists keeps its note. */
  async add(made: Omit<PastRun, "note">): Promise<boolean> {
    const isDone = await this.#attempt(async (database) => {
      const transaction = database.transaction("runs", "readwrite");
      const there = await transaction.store.get(made.id);
      await transaction.store.put({ ...made, note: there?.note ?? "" });
      await transaction.done;
    });
    if (isDone) this.#channel?.postMessage(null);
    return isDone;
  }

  /** Changes the note of a run. */
  async annotate(id: string, note: string): Promise<void> {
    const old = this.#known(id);
    if (!old || old.note === note) return;
    await this.#change({ put: [{ ...old, note }] }, HISTORY.noteSaved);
  }

  /** Deletes a run. The deletion can be undone until the next one. */
  async remove(id: string): Promise<void> {
    const old = this.#known(id);
    if (old && (await this.#change({ remove: [id] }, HISTORY.deleted))) {
      this.store.setState({ deleted: [old] });
    }
  }

  /** Undoes the last deletion. */
  async undo(): Promise<void> {
    const { deleted } = this.store.getState();
    if (await this.#change({ put: deleted }, HISTORY.restored))
      this.store.setState({ deleted: [] });
  }

  /** All runs as a file. */
  exported(): string {
    const runs = this.store.getState().runs ?? [];
    return `${JSON.stringify({ format: "mmscope history", v: 1, runs }, null, 2)}\n`;
  }

  /** Adds the runs of a file. Runs that already exist keep their notes. */
  async imported(json: string): Promise<void> {
    const read = readHistory(json);
    if (!read.ok) {
      this.store.setState({ said: HISTORY.notImported(read.reason) });
      return;
    }
    const known = new Map((this.store.getState().runs ?? []).map((each) => [each.id, each]));
    const put = read.runs.map((each) => {
      const old = known.get(each.id);
      return old ? { ...each, note: old.note || each.note } : each;
    });
    const fresh = put.filter(({ id }) => !known.has(id)).length;
    await this.#change({ put }, HISTORY.imported(fresh, put.length - fresh));
  }

  #known(id: string): PastRun | undefined {
    return this.store.getState().runs?.find((each) => each.id === id);
  }

  async #change(
    { put = [], remove = [] }: { put?: readonly PastRun[]; remove?: readonly string[] },
    said: string,
  ): Promise<boolean> {
    const isDone = await this.#attempt(async (database) => {
      const transaction = database.transaction("runs", "readwrite");
      await Promise.all([
        ...remove.map((id) => transaction.store.delete(id)),
        ...put.map((each) => transaction.store.put(each)),
        transaction.done,
      ]);
    });
    if (!isDone) return false;
    this.#channel?.postMessage(null);
    await this.read();
    this.store.setState({ said });
    return true;
  }

  async #attempt(work: (database: IDBPDatabase<Schema>) => Promise<void>): Promise<boolean> {
    try {
      this.#open ??= openDB<Schema>(NAME, 1, {
        upgrade: (database) => {
          database.createObjectStore("runs", { keyPath: "id" });
        },
      });
      await work(await this.#open);
      return true;
    } catch (error) {
      this.#open = null;
      this.store.setState({ fault: faultOf(error) });
      return false;
    }
  }
}

/** Reads a history file, or says which field is wrong. */
export function readHistory(
  json: string,
): { ok: true; runs: readonly PastRun[] } | { ok: false; reason: string } {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return { ok: false, reason: HISTORY.notJson };
  }
  const result = v.safeParse(file, value, { abortEarly: true });
  if (result.success) return { ok: true, runs: result.output.runs };
  const [issue] = result.issues;
  return { ok: false, reason: `${v.getDotPath(issue) ?? HISTORY.file}: ${issue.message}.` };
}

function faultOf(error: unknown): string {
  if (isFull(error)) return HISTORY.full;
  return HISTORY.denied;
}

function openChannel(): BroadcastChannel | null {
  try {
    return new BroadcastChannel(NAME);
  } catch {
    return null;
  }
}
