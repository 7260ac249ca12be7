// The students of a class and their answers, read from files. The browser stores them; nothing is
// sent anywhere. The engine marks every answer here.

import * as v from "valibot";
import { createStore, type StoreApi } from "zustand/vanilla";
import { LastAsked } from "../../engine/last-asked";
import { MeasureClient } from "../../engine/measure-client";
import { shortened } from "../../engine/shortened";
import { loadLesson } from "../../lessons/load";
import { PROGRESS } from "../../lessons/progress";
import { MOST_NAME, type ReadProgress, readProgressBlob } from "../../lessons/progress-file";
import { type LessonResult, type Measuring, onceEach, resultOf } from "../../lessons/results";
import type { LessonData } from "../../lessons/schema";
import { inBrowser } from "../../stored";
import { ROSTER } from "./words";

const KEY = "mmscope.class";
/** The maximum number of students in a table, limited by the browser's storage. */
const MOST_STUDENTS = 300;

const student = v.object({
  name: v.pipe(v.string(), v.minLength(1), v.maxLength(MOST_NAME)),
  /** By lesson: the answers, and when they were saved. */
  lessons: v.record(v.string(), v.object({ saved: v.string(), progress: PROGRESS })),
});

/** A student with answers. */
export type Student = v.InferOutput<typeof student>;

const storedRoster = v.object({ v: v.literal(1), students: v.array(student) });

/** The marks of a lesson's answers; "unknown" if this page does not have the lesson. */
export type Marked = LessonResult | "marking" | "unknown" | "failed";

/** A file that was rejected, with the reason. */
interface BadFile {
  readonly name: string;
  readonly fault: string;
}

/** The state that the page shows. */
export interface RosterState {
  readonly students: readonly Student[];
  /** By {@link markKey}. */
  readonly marks: Readonly<Record<string, Marked>>;
  readonly bad: readonly BadFile[];
  /** A message about the last action. */
  readonly message: string;
  /** The students before a removal, while it can be undone. */
  readonly before: readonly Student[] | null;
}

/** The key of a student's lesson. */
export const markKey = (student: string, lesson: string): string => `${keyOf(student)}/${lesson}`;

/** Names that differ only in capital letters belong to one student. */
const keyOf = (name: string): string => name.toLocaleLowerCase();

/** The functions of the page that the table needs. */
export interface Marking {
  readonly lessonOf: (id: string) => Promise<LessonData | null>;
  readonly measure: Measuring;
  readonly end: () => void;
}

function withEngine(): Marking {
  const client = new MeasureClient();
  return {
    lessonOf: async (id) => (await loadLesson(id))?.data ?? null,
    measure: onceEach((asked) => client.measure(asked)),
    end: () => client.dispose(),
  };
}

/** The table of a class. */
export class Roster {
  readonly store: StoreApi<RosterState>;
  readonly #marking: Marking;
  readonly #asked = new LastAsked();

  constructor(marking: Marking = withEngine()) {
    this.#marking = marking;
    this.store = createStore<RosterState>(() => ({
      students: readStored(),
      marks: {},
      bad: [],
      message: "",
      before: null,
    }));
  }

  /** Starts to mark the stored answers. */
  begin(): Promise<void> {
    return this.#mark();
  }

  /** Ends the engine. */
  dispose() {
    this.#asked.stop();
    this.#marking.end();
  }

  /** Adds files. A file that cannot be read is reported with the reason; the others are added. */
  async add(files: readonly File[]): Promise<void> {
    const read = await Promise.all(
      files.map(
        async (file): Promise<readonly [string, ReadProgress]> => [
          shortened(file.name),
          await readProgressBlob(file),
        ],
      ),
    );
    const bad: BadFile[] = [];
    let { students } = this.store.getState();
    for (const [name, answer] of read) {
      if (!answer.ok) bad.push({ name, fault: answer.fault });
      else {
        const next = withFile(students, answer.file);
        if (next.length > MOST_STUDENTS) {
          bad.push({ name, fault: ROSTER.tableIsFull(MOST_STUDENTS) });
        } else students = next;
      }
    }
    const taken = read.length - bad.length;
    const words = ROSTER.addedNot(taken, bad.length);
    this.#set(students, words, { bad });
    await this.#mark();
  }

  /** Removes a student; the removal can be undone until the next change. */
  remove(name: string) {
    const { students } = this.store.getState();
    const left = students.filter((each) => each.name !== name);
    this.#set(left, ROSTER.wasRemoved(name), { before: students });
  }

  /** Empties the table; this can be undone until the next change. */
  clear() {
    const { students } = this.store.getState();
    this.#set([], ROSTER.removed(students.length), { before: students, bad: [] });
  }

  /** Undoes the last removal. */
  undo() {
    const { before } = this.store.getState();
    if (before) this.#set(before, "Undone.");
    void this.#mark();
  }

  #set(
    students: readonly Student[],
    done: string,
    { bad = this.store.getState().bad, before = null }: Partial<RosterState> = {},
  ) {
    const isStored = inBrowser.write(KEY, students.length > 0 ? textOf(students) : null) === "kept";
    const message = isStored ? done : ROSTER.browserDoesNotKeep(done);
    this.store.setState({ students, bad, before, message });
  }

  /** Marks all answers that have no mark yet. */
  #mark(): Promise<void> {
    return this.#asked.ask(async (heard) => {
      for (const { name, lessons } of this.store.getState().students) {
        for (const [id, { progress, saved }] of Object.entries(lessons)) {
          const key = markKey(name, id);
          const isOld = this.#markedOf.get(key) === saved;
          if (isOld && this.store.getState().marks[key] !== "marking") continue;
          this.#put(key, "marking");
          const marked = await heard(this.#markOf(id, progress));
          this.#markedOf.set(key, saved);
          this.#put(key, marked);
        }
      }
    });
  }

  /** When the marked answers of each lesson were saved, by {@link markKey}. */
  readonly #markedOf = new Map<string, string>();

  async #markOf(id: string, progress: Student["lessons"][string]["progress"]): Promise<Marked> {
    try {
      const lesson = await this.#marking.lessonOf(id);
      return lesson ? await resultOf(lesson, progress, this.#marking.measure) : "unknown";
    } catch {
      return "failed";
    }
  }

  #put(key: string, marked: Marked) {
    this.store.setState(({ marks }) => ({ marks: { ...marks, [key]: marked } }));
  }
}

const textOf = (students: readonly Student[]): string => JSON.stringify({ v: 1, students });

function readStored(): readonly Student[] {
  try {
    const text = inBrowser.read(KEY);
    const read = v.safeParse(storedRoster, text === null ? null : JSON.parse(text));
    return read.success ? read.output.students : [];
  } catch {
    return [];
  }
}

/** Adds a file to the students: if a lesson already exists, the later answers stay. */
function withFile(
  students: readonly Student[],
  { name, saved, lessons }: Extract<ReadProgress, { ok: true }>["file"],
): readonly Student[] {
  const there = students.find((each) => keyOf(each.name) === keyOf(name));
  const all: Student["lessons"] = { ...there?.lessons };
  for (const [id, progress] of Object.entries(lessons)) {
    const old = all[id];
    if (!old || Date.parse(old.saved) <= Date.parse(saved)) all[id] = { saved, progress };
  }
  const next = { name: there?.name ?? name, lessons: all };
  return there ? students.map((each) => (each === there ? next : each)) : [...students, next];
}
