// Runs the claims and questions of a lesson, with the same code that marks a reader's answers and
// checks an opened folder.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { plain } from "../web/src/app/narration";
import { loadEngine, measureNow } from "../web/src/engine/loaded.test-support";
import { checkFolder, type FolderTexts } from "../web/src/lessons/folder/check";
import { markingOf, runOf, verdictOf } from "../web/src/lessons/mark";
import {
  holds,
  isTrue,
  namesIn,
  numberIn,
  parseStatement,
  piecesOf,
  readAt,
  readOf,
} from "../web/src/lessons/readings";
import {
  type Build,
  type Claim,
  isClaim,
  isQuotation,
  type LessonData,
  measureOf,
  type Question,
  type Quotation,
  type Run,
  type Setting,
} from "../web/src/lessons/schema";
import { FIRST_SEED, trialRun } from "../web/src/pages/lesson/controller";
import { revealedWords, sentencesOfTitle } from "./giveaway.test-support";

const SEEDS = Array.from({ length: 20 }, (_, i) => i + 1);

/** Sixty runs take a few seconds, and longer on a busy machine. */
const SLOW_MS = 120_000;

const engine = loadEngine();

const figuresOf = async (name: string): Promise<unknown> => {
  const path = `lessons/figures/${name}.json`;
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined;
};

/** Numbers of the engine that /proc/vmstat does not print; the first is a sum over the zones. */
const OWN = [
  "allocstall",
  "us",
  "local_percent",
  "blocks_came",
  "blocks_failed",
  "scan_zone_reclaim",
  "steal_zone_reclaim",
];

/** The negation of each comparison; a statement is false if one of these is true. */
const OPPOSITES: Readonly<Record<string, readonly string[]>> = {
  "<": [">="],
  "<=": [">"],
  ">": ["<="],
  ">=": ["<"],
  "=": ["<", ">"],
};

const opposites = (statement: string) => {
  const { comparison } = parseStatement(statement);
  return OPPOSITES[comparison]?.map((other) => statement.replace(` ${comparison} `, ` ${other} `));
};

/** The texts of a lesson's folder. */
const textsIn = (folder: string): FolderTexts =>
  Object.fromEntries(
    readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), "utf8")]),
  );

/** A lesson under test. */
interface Tested {
  readonly lesson: LessonData;
  readonly claims: readonly Claim[];
  readonly quotations: readonly Quotation[];
  /** The prose of the lesson in one line. */
  readonly prose: string;
}

/** Runs every check on one of our lessons. */
export function checkLesson(name: string): void {
  describe(name, () => testLesson(`lessons/${name}`));
}

/** Runs every check on the lesson in a folder. */
export async function testLesson(folder: string): Promise<void> {
  const texts = textsIn(folder);
  const checked = await checkFolder(texts, figuresOf);
  test("the files have no errors and fit together", () => {
    expect(checked.ok ? [] : checked.faults).toEqual([]);
  });
  if (!checked.ok) return;
  const { data: lesson, promises } = checked.lesson;
  const tested: Tested = {
    lesson,
    claims: promises.filter(isClaim),
    quotations: promises.filter(isQuotation),
    prose: (texts["index.mdx"] ?? "").replace(/\s+/g, " "),
  };
  testClaims(tested);
  testKeys(tested);
  testBuilds(tested);
  testNames(tested);
  testScenes(tested);
}

const endOf = (lesson: LessonData, run: Run) => {
  const measured = measureNow(engine, 0, measureOf(lesson, run, [{ kind: "end" }]));
  if (measured.kind === "refused") throw new Error(JSON.stringify(measured.refusals));
  const [end] = measured.snapshots;
  if (!end) throw new Error("the run has no end");
  return { end, experiment: measured.experiment };
};

function testClaims({ lesson, claims, quotations }: Tested) {
  test.each(claims.map((claim) => [claim.says, claim] as const))(
    "the engine confirms the claim: %s",
    (_, claim) => {
      for (const seed of SEEDS.slice(0, claim.seeds)) {
        const moments = claim.never ? [claim.at, claim.never] : [claim.at];
        const measured = measureNow(engine, 0, measureOf(lesson, { ...claim, seed }, moments));
        if (measured.kind === "refused") throw new Error(JSON.stringify(measured.refusals));
        const [snapshot, forbidden] = measured.snapshots;
        expect(forbidden ?? null, "a moment that must not come").toBeNull();
        if (!snapshot) throw new Error(`seed ${seed}: the moment never comes`);
        const { view } = snapshot;
        const wrong = claim.expect.filter((statement) => !holds(view, statement));
        expect(wrong, `seed ${seed}`).toEqual([]);
        if (claim.why !== undefined) expect(plain(view.why?.sentence ?? [])).toContain(claim.why);
      }
    },
  );

  test.each(quotations.map((quoted) => [quoted.says, quoted] as const))(
    "the source confirms the quotation: %s",
    (_, { published: { table: id, metric, values } }) => {
      const table = lesson.published?.tables.find((each) => each.id === id);
      const row = table?.rows.find((each) => each.metric === metric);
      expect(row?.values).toEqual(values);
    },
  );

  test("detects a false promise", () => {
    const [claim] = claims;
    if (!claim) throw new Error("the lesson promises nothing");
    const measured = measureNow(engine, 0, measureOf(lesson, { ...claim, seed: 1 }, [claim.at]));
    if (measured.kind === "refused") throw new Error("the engine refuses the experiment");
    const view = measured.snapshots[0]?.view;
    if (!view) throw new Error("the moment never comes");
    for (const statement of claim.expect) {
      expect(holds(view, statement)).toBe(true);
      for (const other of opposites(statement) ?? []) expect(holds(view, other)).toBe(false);
    }
    expect(() => holds(view, "fre@0/Normal > 1")).toThrow();
    expect(() => holds(view, "free@0/Normal")).toThrow();
  });
}

function testKeys({ lesson, prose }: Tested) {
  const keyOf = (question: Question, value: string, seed: number) => {
    const run = runOf(question, value, seed);
    // Marking also searches for the moments to show, which takes longer. The right answer is known
    // at the end of the run.
    const { experiment, moments } = markingOf(lesson, question, run);
    const asked = { experiment, moments: moments.slice(-1) };
    return verdictOf(question, run, measureNow(engine, 0, asked)).key.id;
  };

  describe.each(lesson.questions.map((question) => [question.id, question] as const))(
    'the key of "%s"',
    (_, question) => {
      test("changes when its knob changes", () => {
        const keys = question.values.map((value) => keyOf(question, value, 1));
        expect(new Set(keys).size, `${question.values} give ${keys}`).toBeGreaterThan(1);
      });

      test("does not depend on the seed at the initial value", () => {
        expect(question.open).not.toBe(question.start);
      });

      test(
        "depends on the seed if and only if the question is open at this value",
        () => {
          for (const value of question.values) {
            const keys = new Set(SEEDS.map((seed) => keyOf(question, value, seed)));
            expect([value, keys.size > 1]).toEqual([value, value === question.open]);
          }
        },
        SLOW_MS,
      );
    },
  );

  test("the title, the first sentence and the headings do not answer the first question", () => {
    const [first] = lesson.questions;
    if (!first) return;
    const key = keyOf(first, first.start, FIRST_SEED);
    expect(revealedWords(lesson, first, key)).toEqual([]);
    expect(sentencesOfTitle(lesson, prose, first.id)).toEqual([]);
  });

  test.each(lesson.questions.map((question) => [question.id, question] as const))(
    'a wrong answer to "%s" leads to a step before the end of the run',
    (_, question) => {
      const run = runOf(question, question.start, 1);
      const measured = measureNow(engine, 0, markingOf(lesson, question, run));
      const { watch, end, key } = verdictOf(question, run, measured);
      expect(watch.view.position.step).toBeLessThan(end.view.position.step);
      expect(watch.view.why?.compare?.passed ?? watch.view.why).not.toBe(true);
      for (const piece of piecesOf(key.because)) {
        if (piece.kind === "place")
          expect(numberIn(piece, readAt(end.view), String)).toMatch(/^\d/);
      }
    },
  );
}

/** Every combination of the parts of a build. */
const waysOf = ({ parts }: Build): Setting[] =>
  parts.reduce<Setting[]>(
    (ways, { knob, values }) =>
      ways.flatMap((route) => values.map((value) => ({ ...route, [knob]: value }))),
    [{}],
  );

function testBuilds({ lesson }: Tested) {
  describe.each(lesson.builds.map((build) => [build.id, build] as const))(
    'the build "%s"',
    (_, build) => {
      /** The engine refuses an impossible combination of parts and says why. */
      const isRefused = (set: Setting) =>
        build.compare.values.some((value) => {
          const run = trialRun(build, set, value);
          const measured = measureNow(engine, 0, measureOf(lesson, run, [{ kind: "start" }]));
          if (measured.kind === "refused") expect(measured.refusals[0]?.reason).toMatch(/\w/);
          return measured.kind === "refused";
        });
      const possible = waysOf(build).filter((set) => !isRefused(set));
      const tried = (set: Setting, seed: number) => {
        const ends = build.compare.values.map((value) => {
          const { end } = endOf(lesson, { ...trialRun(build, set, value), seed });
          return [value, end.view] as const;
        });
        const read = readOf(Object.fromEntries(ends));
        const said = build.says.findIndex((each) => isTrue(read, each.if));
        return { isMet: build.goal.every((each) => isTrue(read, each)), said, read };
      };

      test("has a solution other than its initial state, and shows each of its explanations", () => {
        const start = Object.fromEntries(build.parts.map(({ knob, start }) => [knob, start]));
        expect(tried(start, FIRST_SEED).isMet).toBe(false);
        const all = possible.map((set) => tried(set, FIRST_SEED));
        expect(all.some(({ isMet }) => isMet)).toBe(true);
        expect(new Set(all.map(({ said }) => said))).toEqual(new Set(build.says.keys()));
        for (const { said, read } of all) {
          for (const piece of piecesOf(build.says[said]?.because ?? "")) {
            if (piece.kind === "place") expect(numberIn(piece, read, String)).toMatch(/^\d/);
          }
        }
      });

      test(
        "has the same outcome with every seed",
        () => {
          for (const set of possible) {
            const all = SEEDS.slice(0, 8).map((seed) => tried(set, seed));
            const outcomes = new Set(all.map(({ isMet, said }) => `${isMet} ${said}`));
            expect([set, outcomes.size]).toEqual([set, 1]);
          }
        },
        SLOW_MS,
      );
    },
  );
}

function testNames({ lesson, claims, prose }: Tested) {
  test("every number in a claim or an answer is counted by the kernel", async () => {
    const texts = [
      ...claims.flatMap(({ expect: statements }) => statements),
      ...lesson.questions.flatMap(({ answers }) => answers.map((answer) => answer.if)),
      ...lesson.builds.flatMap(({ goal, says }) => [...goal, ...says.map((each) => each.if)]),
    ];
    const said = [
      ...lesson.questions.flatMap(({ answers }) => answers.map(({ because }) => because)),
      ...lesson.builds.flatMap(({ says }) => says.map(({ because }) => because)),
      ...[...prose.matchAll(/ say="([^"]+)"/g)].map(([, say = ""]) => say),
    ];
    const names = [
      ...texts.flatMap((text) => namesIn(parseStatement(text))),
      ...said.flatMap((text) =>
        piecesOf(text).flatMap((piece) => (piece.kind === "place" ? [piece.name] : [])),
      ),
      ...lesson.counters.map(([counter]) => counter),
      ...lesson.builds.flatMap(({ rows }) => rows.map(([row]) => row)),
    ].map((each) => each.split(":").at(-1) ?? "");
    const known = new Set(OWN);
    for (const scene of Object.values(lesson.scenes)) {
      endOf(lesson, { ...scene, seed: FIRST_SEED });
      const vmstat = engine.print_file(0, "vmstat");
      for (const line of vmstat.split("\n")) known.add(line.split(" ")[0] ?? "");
    }
    expect(names.filter((each) => !each.includes("@") && !known.has(each))).toEqual([]);
  });
}

function testScenes({ lesson }: Tested) {
  test("reaches every scene", () => {
    for (const [id, scene] of Object.entries(lesson.scenes)) {
      const run = { ...scene, seed: FIRST_SEED };
      const measured = measureNow(engine, 0, measureOf(lesson, run, [scene.at]));
      if (measured.kind === "refused") throw new Error(JSON.stringify(measured.refusals));
      expect([id, measured.snapshots[0] !== null]).toEqual([id, true]);
    }
  });
}
