// The user's own lessons in a separate database of the browser. If storage is denied, full or
// broken, a message says so, and the lesson opens nevertheless.

import { type DBSchema, type IDBPDatabase, openDB } from "idb";
import * as v from "valibot";
import { createStore, type StoreApi } from "zustand/vanilla";
import { isFull } from "../../stored";
import type { FolderTexts } from "./check";
import { SHELF } from "./words";

const NAME = "mmscope.own-lessons";
const VERSION = 1;

const row = v.object({
  /** The name of the lesson's folder. */
  name: v.string(),
  title: v.string(),
  /** When it was opened last, ms since 1970. */
  saved_ms: v.number(),
  /** Its files, by name. */
  texts: v.record(v.string(), v.string()),
});

/** A stored lesson. */
export type OwnLesson = v.InferOutput<typeof row>;

interface Schema extends DBSchema {
  lessons: { key: string; value: OwnLesson };
}

/** The state that the list shows. */
export interface ShelfState {
  /** Newest first; null until they are read. */
  readonly lessons: readonly OwnLesson[] | null;
  /** A message about the last action, or the reason why it failed. */
  readonly message: string;
  /** The lesson removed last, while the removal can be undone. */
  readonly removed: OwnLesson | null;
}

/** The lessons that this browser stores. */
export class Shelf {
  readonly store: StoreApi<ShelfState> = createStore<ShelfState>(() => ({
    lessons: null,
    message: "",
    removed: null,
  }));
  #open: Promise<IDBPDatabase<Schema>> | null = null;

  /** Reads the database. */
  async read(): Promise<void> {
    await this.#do("", async (database) => {
      const rows = (await database.getAll("lessons")).map((each) => v.safeParse(row, each));
      // Rows of a later version stay in the database but are not listed.
      const lessons = rows.flatMap((each) => (each.success ? [each.output] : []));
      this.store.setState({ lessons: lessons.sort((a, b) => b.saved_ms - a.saved_ms) });
    });
  }

  /** Is a lesson of this name in the list that was read? */
  has(name: string): boolean {
    return this.store.getState().lessons?.some((each) => each.name === name) ?? false;
  }

  /** The files of a lesson; empty if it is not stored. */
  async textsOf(name: string): Promise<FolderTexts> {
    const { lessons } = this.store.getState();
    return lessons?.find((each) => each.name === name)?.texts ?? {};
  }

  /** Stores a lesson, and replaces one of the same name. */
  async keep(lesson: Omit<OwnLesson, "saved_ms">): Promise<void> {
    await this.#put({ ...lesson, saved_ms: Date.now() }, "");
  }

  /** Removes a lesson; the removal can be undone until the next change. */
  async remove(lesson: OwnLesson): Promise<void> {
    const isDone = await this.#do(SHELF.wasRemoved(lesson.title), async (database) => {
      await database.delete("lessons", lesson.name);
    });
    if (!isDone) return;
    this.store.setState({ removed: lesson });
    await this.#list();
  }

  /** Undoes the last removal. */
  async undo(): Promise<void> {
    const { removed } = this.store.getState();
    if (removed) await this.#put(removed, SHELF.isBack(removed.title));
  }

  async #put(lesson: OwnLesson, message: string) {
    const isDone = await this.#do(message, async (database) => {
      await database.put("lessons", lesson);
    });
    if (!isDone) return;
    this.store.setState({ removed: null });
    await this.#list();
  }

  /** Reads the list again without changing the message. */
  async #list() {
    const { message } = this.store.getState();
    await this.read();
    this.store.setState({ message });
  }

  /** Makes a change and reports its success or failure. */
  async #do(
    message: string,
    work: (database: IDBPDatabase<Schema>) => Promise<void>,
  ): Promise<boolean> {
    try {
      this.#open ??= openDB<Schema>(NAME, VERSION, {
        upgrade: (database) => {
          database.createObjectStore("lessons", { keyPath: "name" });
        },
        // A later version in another tab must not have to wait for this tab.
        blocking: (_current, _blocked, event) => {
          (event.target as IDBDatabase).close();
          this.#open = null;
        },
        terminated: () => {
          this.#open = null;
        },
      });
      await work(await this.#open);
      this.store.setState({ message });
      return true;
    } catch (error) {
      this.#open = null;
      this.store.setState({
        message: faultOf(error),
        lessons: this.store.getState().lessons ?? [],
      });
      return false;
    }
  }
}

function faultOf(error: unknown): string {
  if (isFull(error)) {
    return SHELF.full;
  }
  return SHELF.notKept;
}
