// The lesson of a folder, as long as the tab shows this page. A folder with faults takes the place of
// nothing: what was open stays.

import { createStore, type StoreApi } from "zustand/vanilla";
import { LastAsked } from "../../engine/last-asked";
import { MeasureClient } from "../../engine/measure-client";
import { publishedFigures } from "../load";
import type { Measuring } from "../results";
import type { WholeLesson } from "./check";
import type { Fault } from "./fault";
import { type ReadFolder, readFiles } from "./read";

/** A lesson that was opened from a folder. */
export interface OpenedLesson {
  readonly name: string;
  readonly lesson: WholeLesson;
}

/** What became of the folders that were opened. */
export interface FolderState {
  /** The last one that is a lesson. */
  readonly opened: OpenedLesson | null;
  /** The last one that is none, and why; null once another was opened. */
  readonly refused: { readonly name: string; readonly faults: readonly Fault[] } | null;
  /** The name of the one that is being read. */
  readonly reading: string | null;
}

/** Opens folders, the last asked for. */
export class Folders {
  readonly store: StoreApi<FolderState> = createStore<FolderState>(() => ({
    opened: null,
    refused: null,
    reading: null,
  }));
  readonly #asked = new LastAsked();
  readonly #measuring: <T>(work: (measure: Measuring) => Promise<T>) => Promise<T>;

  constructor(measuring = withClient) {
    this.#measuring = measuring;
  }

  /** Reads and judges a folder's files, and opens it where it is a lesson. */
  open(name: string, files: Promise<readonly File[]>): Promise<void> {
    this.store.setState({ reading: name });
    return this.#asked.ask(async (heard) => {
      const folder = await heard(
        files.then(
          (all) => readFiles(name, all),
          () => unreadable(name),
        ),
      );
      const read = await heard(this.#judge(folder));
      if ("faults" in read) this.store.setState({ reading: null, refused: read });
      else this.store.setState({ reading: null, refused: null, opened: read });
    });
  }

  /** Goes back to the lesson that is open. */
  keep() {
    this.store.setState({ refused: null });
  }

  async #judge({
    name,
    texts,
    faults,
  }: ReadFolder): Promise<OpenedLesson | { name: string; faults: readonly Fault[] }> {
    if (faults.length > 0) return { name, faults };
    // What parses a text is large, and only an author needs it.
    const { checkFolder, judge } = await import("./later");
    const checked = await checkFolder(texts, publishedFigures);
    if (!checked.ok) return { name, faults: checked.faults };
    const { lesson } = checked;
    const refused = await this.#measuring((measure) => judge(lesson.data, texts, measure));
    return refused.length > 0 ? { name, faults: refused } : { name, lesson };
  }
}

const unreadable = (name: string): ReadFolder => ({
  name,
  texts: {},
  faults: [{ file: name, line: null, reason: "The browser could not read this folder." }],
});

/** An engine for as long as it is asked. */
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
