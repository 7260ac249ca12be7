// Runs what a lesson promises and asks. The code that marks a reader is the code that is run here.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { loadEngine, loadProcfs, measureNow } from "../web/src/engine/loaded.test-support";
import { markingOf, runOf, verdictOf } from "../web/src/lesson/mark";
import { holds, namesIn, numberIn, parseStatement, piecesOf } from "../web/src/lesson/readings";
import { measureOf, type Question, readClaims, readLesson } from "../web/src/lesson/schema";
import { plain } from "../web/src/workbench/narration";

const SEEDS = Array.from({ length: 20 }, (_, i) => i + 1);

/** Sixty runs take a few seconds, on a loaded machine many. */
const SLOW_MS = 120_000;

const json = (path: string): unknown => JSON.parse(readFileSync(`lessons/${path}`, "utf8"));
const engine = loadEngine();

describe.each(["watermarks-and-kswapd"])("%s", (name) => {
  const lesson = readLesson({
    head: json(`${name}/lesson.json`),
    experiments: json(`${name}/experiments.json`),
    questions: json(`${name}/questions.json`),
  });
  const claims = readClaims(json(`${name}/claims.json`));
  const prose = readFileSync(`lessons/${name}/index.mdx`, "utf8").replace(/\s+/g, " ");

  test.each(claims.map((claim) => [claim.says, claim] as const))(
    "it is true that %s",
    (_, claim) => {
      expect(prose).toContain(claim.says);
      for (const seed of SEEDS.slice(0, claim.seeds)) {
        const measured = measureNow(engine, 0, measureOf(lesson, { ...claim, seed }, [claim.at]));
        if (measured.kind === "refused") throw new Error(JSON.stringify(measured.refusals));
        const [snapshot] = measured.snapshots;
        if (!snapshot) throw new Error(`seed ${seed}: the moment never comes`);
        const { view } = snapshot;
        const wrong = claim.expect.filter((statement) => !holds(view, statement));
        expect(wrong, `seed ${seed}`).toEqual([]);
        if (claim.why !== undefined) expect(plain(view.why?.sentence ?? [])).toContain(claim.why);
      }
    },
  );

  const keyOf = (question: Question, factor: string, seed: number) => {
    const run = runOf(question, factor, seed);
    // The moments to look at take longer than the key, which is known at the end of the run.
    const { experiment, moments } = markingOf(lesson, question, run);
    const asked = { experiment, moments: moments.slice(-1) };
    return verdictOf(question, run, measureNow(engine, 0, asked)).key.id;
  };

  describe.each(lesson.questions.map((question) => [question.id, question] as const))(
    'the key of "%s"',
    (_, question) => {
      test("changes when the tunable does", () => {
        const keys = question.factors.map((factor) => keyOf(question, factor, 1));
        expect(new Set(keys).size, `${question.factors} give ${keys}`).toBeGreaterThan(1);
      });

      test(
        "is decided by the seed where the question is open, and nowhere else",
        () => {
          for (const factor of question.factors) {
            const keys = new Set(SEEDS.map((seed) => keyOf(question, factor, seed)));
            expect([factor, keys.size > 1]).toEqual([factor, factor === question.open]);
          }
        },
        SLOW_MS,
      );
    },
  );

  test.each(lesson.questions.map((question) => [question.id, question] as const))(
    'a wrong answer to "%s" is shown a moment that came before the end',
    (_, question) => {
      const run = runOf(question, question.start, 1);
      const measured = measureNow(engine, 0, markingOf(lesson, question, run));
      const { watch, end, key } = verdictOf(question, run, measured);
      expect(watch.view.position.step).toBeLessThan(end.view.position.step);
      expect(watch.view.why?.compare?.passed ?? watch.view.why).not.toBe(true);
      for (const piece of piecesOf(key.because)) {
        if (piece.kind === "place") expect(numberIn(piece, end.view, String)).toMatch(/^\d/);
      }
    },
  );

  test("every number a claim or an answer names is one the kernel counts", async () => {
    const texts = [
      ...claims.flatMap(({ expect: statements }) => statements),
      ...lesson.questions.flatMap(({ answers }) => answers.map((answer) => answer.if)),
    ];
    const names = [
      ...texts.flatMap((text) => namesIn(parseStatement(text))),
      ...lesson.questions.flatMap(({ answers }) =>
        answers.flatMap(({ because }) =>
          piecesOf(because).flatMap((piece) => (piece.kind === "place" ? [piece.name] : [])),
        ),
      ),
    ];
    const run = { experiment: "film", factor: "10", seed: 1 };
    const measured = measureNow(engine, 0, measureOf(lesson, run, [{ kind: "end" }]));
    if (measured.kind === "refused") throw new Error("refused");
    const { print_file } = await loadProcfs();
    const vmstat = print_file("vmstat", measured.experiment, engine.snapshot(0));
    const counters = vmstat.split("\n").map((line) => line.split(" ")[0]);
    // The kernel splits this one by zone; the engine adds the parts up.
    const known = new Set([...counters, "allocstall", "us"]);
    expect(names.filter((each) => !each.includes("@") && !known.has(each))).toEqual([]);
  });

  test("steps, scenes, questions and experiments fit together", () => {
    const inProse = (tag: string, attribute: string) =>
      [...prose.matchAll(new RegExp(`<${tag} ${attribute}="([^"]+)"`, "g"))].map(([, id]) => id);
    expect(inProse("Step", "id")).toEqual(lesson.steps.map(({ id }) => id));
    expect(inProse("Ask", "id")).toEqual(lesson.questions.map(({ id }) => id));
    for (const scene of [...inProse("At", "scene"), ...inProse("Marks", "scene")]) {
      expect(lesson.scenes).toHaveProperty(scene ?? "");
    }
    for (const { scene } of lesson.steps) {
      if (scene !== undefined) expect(lesson.scenes).toHaveProperty(scene);
    }
    const used = [
      ...Object.values(lesson.scenes).map(({ experiment }) => experiment),
      ...lesson.questions.map(({ experiment }) => experiment),
    ];
    for (const id of used) expect(lesson.experiments.experiments).toHaveProperty(id);
  });

  test("a false promise is found out", () => {
    const run = { experiment: "film", factor: "100", seed: 1 };
    const at = { kind: "finished", node: 0, times: 1 } as const;
    const measured = measureNow(engine, 0, measureOf(lesson, run, [at]));
    if (measured.kind === "refused") throw new Error("refused");
    const view = measured.snapshots[0]?.view;
    if (!view) throw new Error("it never comes");
    expect(holds(view, "free@0/Normal > high@0/Normal")).toBe(true);
    expect(holds(view, "free@0/Normal <= low@0/Normal")).toBe(false);
    expect(() => holds(view, "fre@0/Normal > 1")).toThrow();
    expect(() => holds(view, "free@0/Normal")).toThrow();
  });
});
