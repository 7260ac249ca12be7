// Lessons of a person's own that the browser keeps, in a database of their own. Storage may be denied,
// full or broken: then a sentence says so, and the lesson is open all the same.

import { type DBSchema, type IDBPDatabase, openDB } from "idb";
import * as v from "valibot";
import { createStore, type StoreApi } from "zustand/vanilla";
import { isFull } from "../../stored";
import type { FolderTexts } from "./check";

const NAME = "mmscope.own-lessons";
const VERSION = 1;

const row = v.object({
  /** The name of its folder. */
  name: v.string(),
  title: v.string(),
  /** When it was opened last, ms since 1970. */
  saved_ms: v.number(),
  /** Its files, by name. */
  texts: v.record(v.string(), v.string()),
});

/** A lesson that is kept. */
export type OwnLesson = v.InferOutput<typeof row>;

interface Schema extends DBSchema {
  lessons: { key: string; value: OwnLesson };
}

/** What the list shows. */
export interface ShelfState {
  /** The newest first; none until they were read. */
  readonly lessons: readonly OwnLesson[] | null;
  /** What was done last, or why it could not be done. */
  readonly said: string;
  /** What was removed last, while it can be had back. */
  readonly removed: OwnLesson | null;
}

/** The lessons this browser keeps. */
export class Shelf {
  readonly store: StoreApi<ShelfState> = createStore<ShelfState>(() => ({
    lessons: null,
    said: "",
    removed: null,
  }));
  #open: Promise<IDBPDatabase<Schema>> | null = null;

  /** Reads what is there. */
  async read(): Promise<void> {
    await this.#do("", async (database) => {
      const rows = (await database.getAll("lessons")).map((each) => v.safeParse(row, each));
      // What a later version may have written stays where it is, and is not listed.
      const lessons = rows.flatMap((each) => (each.success ? [each.output] : []));
      this.store.setState({ lessons: lessons.sort((a, b) => b.saved_ms - a.saved_ms) });
    });
  }

  /** Is a lesson of this name kept, as far as was read? */
  has(name: string): boolean {
    return this.store.getState().lessons?.some((each) => each.name === name) ?? false;
  }

  /** The files of a lesson; none where it is not kept. */
  async textsOf(name: string): Promise<FolderTexts> {
    const { lessons } = this.store.getState();
    return lessons?.find((each) => each.name === name)?.texts ?? {};
  }

  /** Keeps a lesson, in the place of one of the same name. */
  async keep(lesson: Omit<OwnLesson, "saved_ms">): Promise<void> {
    await this.#put({ ...lesson, saved_ms: Date.now() }, "");
  }

  /** Removes a lesson; it can be had back until the next change. */
  async remove(lesson: OwnLesson): Promise<void> {
    const isDone = await this.#do(`${lesson.title} was removed.`, async (database) => {
      await database.delete("lessons", lesson.name);
    });
    if (!isDone) return;
    this.store.setState({ removed: lesson });
    await this.#list();
  }

  /** Brings back what was removed last. */
  async undo(): Promise<void> {
    const { removed } = this.store.getState();
    if (removed) await this.#put(removed, `${removed.title} is back.`);
  }

  async #put(lesson: OwnLesson, said: string) {
    const isDone = await this.#do(said, async (database) => {
      await database.put("lessons", lesson);
    });
    if (!isDone) return;
    this.store.setState({ removed: null });
    await this.#list();
  }

  /** Reads the list again, and leaves what was said. */
  async #list() {
    const { said } = this.store.getState();
    await this.read();
    this.store.setState({ said });
  }

  /** Does something and says so, or why it could not be done. */
  async #do(
    said: string,
    work: (database: IDBPDatabase<Schema>) => Promise<void>,
  ): Promise<boolean> {
    try {
      this.#open ??= openDB<Schema>(NAME, VERSION, {
        upgrade: (database) => {
          database.createObjectStore("lessons", { keyPath: "name" });
        },
        // A later version in another tab does not wait for this one.
        blocking: (_current, _blocked, event) => {
          (event.target as IDBDatabase).close();
          this.#open = null;
        },
        terminated: () => {
          this.#open = null;
        },
      });
      await work(await this.#open);
      this.store.setState({ said });
      return true;
    } catch (error) {
      this.#open = null;
      this.store.setState({ said: faultOf(error), lessons: this.store.getState().lessons ?? [] });
      return false;
    }
  }
}

function faultOf(error: unknown): string {
  if (isFull(error)) {
    return "The browser’s storage is full: the lesson is not kept. Remove one, and open this one again.";
  }
  return "The browser does not keep lessons: an open one ends with this tab. Save it as a file.";
}
