// The lesson of a folder or of an archive. A folder with errors does not replace the open lesson.
// The browser stores a lesson that was opened, and opens it again after a reload of the tab.

import { createStore, type StoreApi } from "zustand/vanilla";
import { LastAsked } from "../../engine/last-asked";
import { MeasureClient } from "../../engine/measure-client";
import { inTab } from "../../stored";
import { publishedFigures } from "../load";
import type { Measuring } from "../results";
import { readArchive } from "./archive";
import type { FolderTexts, WholeLesson } from "./check";
import type { Fault } from "./fault";
import { type ReadFolder, readFiles } from "./read";
import { Shelf } from "./shelf";
import { OPENED } from "./words";

/** The name of the lesson that this tab has open. */
const OPEN_KEY = "mmscope.own-lesson";

/** A lesson that was opened from a folder. */
export interface OpenedLesson {
  readonly name: string;
  readonly texts: FolderTexts;
  readonly lesson: WholeLesson;
}

/** The results of opening folders. */
export interface FolderState {
  /** The last folder that is a lesson. */
  readonly opened: OpenedLesson | null;
  /**
   * The last folder that is not a lesson, with its errors; null after another folder was opened.
   */
  readonly refused: { readonly name: string; readonly faults: readonly Fault[] } | null;
  /** The name of the folder that is being read. */
  readonly reading: string | null;
}

/** Opens folders; only the last request counts. */
export class Folders {
  readonly store: StoreApi<FolderState> = createStore<FolderState>(() => ({
    opened: null,
    refused: null,
    reading: null,
  }));
  readonly #asked = new LastAsked();
  readonly #measuring: <T>(work: (measure: Measuring) => Promise<T>) => Promise<T>;
  /** The opened lessons, which the browser stores. */
  readonly shelf: Shelf;

  constructor(measuring = withClient, shelf = new Shelf()) {
    this.#measuring = measuring;
    this.shelf = shelf;
  }

  /** Reads and checks a folder's files, and opens it if it is a lesson. */
  open(name: string, files: Promise<readonly File[]>): Promise<void> {
    const folder = files.then(
      (all) => readFiles(name, all),
      () => unreadable(name),
    );
    return this.#open(name, folder);
  }

  /** The same for a folder in an archive. */
  openArchive(file: File): Promise<void> {
    return this.#open(file.name, readArchive(file));
  }

  /** Opens a stored lesson, after checking it again. */
  openStored(name: string): Promise<void> {
    const folder = this.shelf.textsOf(name).then((texts) => ({ name, texts, faults: [] }));
    return this.#open(name, folder);
  }

  /** Opens the lesson that this tab had open before a reload. */
  async resume(): Promise<void> {
    const name = inTab.read(OPEN_KEY);
    const { opened, reading } = this.store.getState();
    if (name === null || opened || reading !== null) return;
    await this.shelf.read();
    if (this.shelf.has(name)) await this.openStored(name);
  }

  /** Shows the list of lessons, also after a reload. */
  leave() {
    inTab.write(OPEN_KEY, null);
  }

  #open(name: string, read: Promise<ReadFolder>): Promise<void> {
    this.store.setState({ reading: name });
    return this.#asked.ask(async (heard) => {
      const judged = await heard(this.#judge(await heard(read)));
      if ("faults" in judged) {
        this.store.setState({ reading: null, refused: judged });
        return;
      }
      const { name: stored, texts, lesson } = judged;
      // Storing comes first: a reload must open the lesson that the page shows, not the one before.
      await heard(this.shelf.keep({ name: stored, title: lesson.data.title, texts }));
      inTab.write(OPEN_KEY, stored);
      this.store.setState({ reading: null, refused: null, opened: judged });
    });
  }

  /** Returns to the lesson that is open. */
  keep() {
    this.store.setState({ refused: null });
  }

  async #judge({
    name,
    texts,
    faults,
  }: ReadFolder): Promise<OpenedLesson | { name: string; faults: readonly Fault[] }> {
    if (faults.length > 0) return { name, faults };
    // The parser is loaded on demand, because it is large and only authors need it.
    const { checkFolder, judge } = await import("./later");
    const checked = await checkFolder(texts, publishedFigures);
    if (!checked.ok) return { name, faults: checked.faults };
    const { lesson } = checked;
    const refused = await this.#measuring((measure) => judge(lesson.data, texts, measure));
    return refused.length > 0 ? { name, faults: refused } : { name, texts, lesson };
  }
}

const unreadable = (name: string): ReadFolder => ({
  name,
  texts: {},
  faults: [{ file: name, line: null, reason: OPENED.notRead }],
});

/** Starts an engine for one task. */
async function withClient<T>(work: (measure: Measuring) => Promise<T>): Promise<T> {
  const client = new MeasureClient();
  try {
    return await work((asked) => client.measure(asked));
  } finally {
    client.dispose();
  }
}

/** The folders of this tab. */
export const folders = new Folders();
