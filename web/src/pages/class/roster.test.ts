import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { writeProgressFile } from "../../lessons/progress-file";
import { type Marking, markKey, Roster } from "./roster";
import { csvOf, lessonsIn, rowsOf, shareOf } from "./table";

const storage = new Map<string, string>();
let refusal: DOMException | null = null;
beforeEach(() => {
  storage.clear();
  refusal = null;
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => storage.get(key) ?? null,
    setItem: (key: string, text: string) => {
      if (refusal) throw refusal;
      storage.set(key, text);
    },
    removeItem: (key: string) => void storage.delete(key),
  });
});
afterEach(() => vi.unstubAllGlobals());

/** Without lessons nothing is marked. */
const NO_LESSONS: Marking = {
  lessonOf: async () => null,
  measure: async () => {
    throw new Error("nothing is run");
  },
  end: () => {},
};

const progress = (answer: string) => ({
  given: { "who/10/1": answer },
  settings: {},
  built: {},
  shown: [],
  visited: [],
  current: null,
});

/** A file of a student's answers to some lessons. */
const file = (
  name: string,
  saved: string,
  lessons: Record<string, string>,
  called = `${name}.json`,
) =>
  new File(
    [
      writeProgressFile({
        name,
        saved: `2026-11-${saved}T10:00:00Z`,
        lessons: Object.fromEntries(
          Object.entries(lessons).map(([id, answer]) => [id, progress(answer)]),
        ),
      }),
    ],
    called,
  );

const answersIn = (roster: Roster) =>
  roster.store
    .getState()
    .students.map(({ name, lessons }) => [
      name,
      Object.fromEntries(
        Object.entries(lessons).map(([id, each]) => [id, each.progress.given["who/10/1"]]),
      ),
    ]);

test("merges the files of one student into one line, with later answers replacing earlier ones", async () => {
  const roster = new Roster(NO_LESSONS);
  await roster.add([
    file("Ada", "27", { a: "new" }),
    file("Bob", "27", { a: "x" }),
    file("ada", "26", { a: "old", b: "y" }),
  ]);
  expect(answersIn(roster)).toEqual([
    ["Ada", { a: "new", b: "y" }],
    ["Bob", { a: "x" }],
  ]);
  await roster.add([file("Ada", "28", { b: "z" })]);
  expect(answersIn(roster)[0]).toEqual(["Ada", { a: "new", b: "z" }]);
});

test("names a bad file with its error and adds the others", async () => {
  const roster = new Roster(NO_LESSONS);
  await roster.add([new File(["nothing"], "bad.json"), file("Ada", "27", { a: "x" })]);
  const { bad, message } = roster.store.getState();
  expect(bad).toEqual([{ name: "bad.json", fault: expect.stringMatching(/^Line 1: /) }]);
  expect(message).toBe("1 file added, 1 not.");
  expect(answersIn(roster)).toHaveLength(1);
});

test("restores the table after a reload and undoes a removal", async () => {
  const roster = new Roster(NO_LESSONS);
  await roster.add([file("Ada", "27", { a: "x" }), file("Bob", "27", { a: "y" })]);
  roster.remove("Ada");
  expect(answersIn(new Roster(NO_LESSONS))).toEqual([["Bob", { a: "y" }]]);
  roster.undo();
  expect(answersIn(new Roster(NO_LESSONS))).toHaveLength(2);
  roster.clear();
  expect([storage.size, answersIn(roster)]).toEqual([0, []]);
  roster.undo();
  expect(answersIn(new Roster(NO_LESSONS))).toHaveLength(2);
});

test("reports that the browser does not store the table and still shows it", async () => {
  refusal = new DOMException("no", "QuotaExceededError");
  const roster = new Roster(NO_LESSONS);
  await roster.add([file("Ada", "27", { a: "x" })]);
  expect(roster.store.getState().message).toMatch(/does not keep the table/);
  expect(answersIn(roster)).toHaveLength(1);
});

test("reads an unreadable table as an empty one", () => {
  storage.set("mmscope.class", '{"v": 1, "students": [{"name": 5}]}');
  expect(new Roster(NO_LESSONS).store.getState().students).toEqual([]);
});

const RESULT = { questions: 3, answered: 3, right: 1, builds: 0, built: 0 };
const table = async () => {
  const roster = new Roster(NO_LESSONS);
  await roster.add([
    file("Bob", "27", { a: "x" }),
    file("Ada", "27", { a: "x", unheard: "y" }),
    file("=Eve", "27", { a: "x" }),
  ]);
  const marks = {
    [markKey("Ada", "a")]: { ...RESULT, right: 2 },
    [markKey("Bob", "a")]: RESULT,
    [markKey("=Eve", "a")]: { ...RESULT, right: 3 },
    [markKey("Ada", "unheard")]: "unknown" as const,
  };
  const { students } = roster.store.getState();
  const lessons = lessonsIn({ students }, [{ id: "a", title: "Lesson A" }]);
  return { students, marks, lessons };
};

test("lists lessons that this page lacks at the end and without marks", async () => {
  const { students, marks, lessons } = await table();
  expect(lessons.map(({ title }) => title)).toEqual(["Lesson A", "unheard"]);
  const [ada] = rowsOf({ students, marks }, lessons, { by: "name", isDown: false }).slice(1);
  expect(ada?.name).toBe("Ada");
  expect(shareOf(ada?.marks.unheard, "right")).toBeNull();
  expect(shareOf(ada?.marks.a, "right")).toEqual({ done: 2, of: 3 });
  expect(shareOf(ada?.marks.a, "built")).toBeNull();
  expect(ada?.total.right).toEqual({ done: 2, of: 3 });
});

test("sorts the table by name, by all lessons and by one lesson in both directions", async () => {
  const { students, marks, lessons } = await table();
  const names = (by: Parameters<typeof rowsOf>[2]["by"], isDown: boolean) =>
    rowsOf({ students, marks }, lessons, { by, isDown }).map(({ name }) => name);
  expect(names("name", false)).toEqual(["=Eve", "Ada", "Bob"]);
  expect(names({ lesson: "a", part: "right" }, true)).toEqual(["=Eve", "Ada", "Bob"]);
  expect(names({ lesson: null, part: "right" }, false)).toEqual(["Bob", "Ada", "=Eve"]);
});

test("the CSV has a line for each student and no name that a spreadsheet would run", async () => {
  const { students, marks, lessons } = await table();
  const rows = rowsOf({ students, marks }, lessons, { by: "name", isDown: false });
  const [head, eve, ada] = csvOf(rows, lessons).split("\r\n");
  expect(head).toMatch(/^Student,Answered,"Answered, of",Right at first try,/);
  expect(eve).toMatch(/^'=Eve,3,3,3,3,0,0,3,3,3,3,,,,,,,,$/);
  expect(ada).toMatch(/^Ada,3,3,2,3,/);
});
