import { expect, test } from "vitest";
import { Watchdog } from "./watchdog";

/** A watchdog with a clock of its own; the worker answers after this many ms, or never. */
function watched(answersAfter_ms: () => number | null) {
  const warnings: string[] = [];
  let now = 0;
  let isHidden = false;
  let look = () => {};
  const answers: number[] = [];
  const dog = new Watchdog(
    {
      ask: () => {
        const after = answersAfter_ms();
        if (after !== null) answers.push(now + after);
      },
      silent: () => warnings.push("silent"),
      back: () => warnings.push("back"),
    },
    {
      now: () => now,
      every: (_, work) => {
        look = work;
        return () => {
          look = () => {};
        };
      },
      isHidden: () => isHidden,
    },
  );
  const pass = (ms: number, step = 200) => {
    for (const end = now + ms; now < end; ) {
      now += step;
      while ((answers[0] ?? Number.POSITIVE_INFINITY) <= now) {
        answers.shift();
        dog.hear();
      }
      look();
    }
  };
  const hide = (is: boolean) => {
    isHidden = is;
  };
  return { dog, said: warnings, pass, hide, now: () => now };
}

test("reports only a worker that never answers again as silent", () => {
  let isAlive = true;
  const { dog, said: warnings, pass } = watched(() => (isAlive ? 50 : null));
  dog.hear();
  pass(60_000);
  expect(warnings).toEqual([]);
  isAlive = false;
  pass(59_000);
  expect(warnings).toEqual([]);
  pass(2000);
  expect(warnings).toEqual(["silent"]);
  pass(600_000);
  expect(warnings).toEqual(["silent"]);
});

test("waits for a first load of several minutes", () => {
  const { said: warnings, pass } = watched(() => null);
  pass(600_000);
  expect(warnings).toEqual([]);
});

test("does not report a worker whose answers each take up to a minute", () => {
  const { dog, said: warnings, pass } = watched(() => 55_000);
  dog.hear();
  pass(1_800_000);
  expect(warnings).toEqual([]);
});

test("waits longer on a slow device, in proportion to its slowest answer", () => {
  let after: number | null = 20_000;
  const { dog, said: warnings, pass } = watched(() => after);
  dog.hear();
  pass(60_000);
  after = null;
  // 20 times the duration of its slowest answer.
  pass(390_000);
  expect(warnings).toEqual([]);
  pass(60_000);
  expect(warnings).toEqual(["silent"]);
});

test("neither asks nor reports while the page is hidden, and starts again when it is visible", () => {
  const { dog, said: warnings, pass, hide } = watched(() => null);
  dog.hear();
  hide(true);
  pass(600_000);
  hide(false);
  pass(55_000);
  expect(warnings).toEqual([]);
  pass(10_000);
  expect(warnings).toEqual(["silent"]);
});

test("delayed timers and a suspended machine do not make the worker silent", () => {
  const { dog, said: warnings, pass } = watched(() => null);
  dog.hear();
  pass(600_000, 1000);
  pass(8 * 3_600_000, 8 * 3_600_000);
  expect(warnings).toEqual([]);
});

test("reports that a worker answers again if it was only busy", () => {
  let after: number | null = 90_000;
  const { dog, said: warnings, pass } = watched(() => after);
  dog.hear();
  pass(70_000);
  expect(warnings).toEqual(["silent"]);
  after = 50;
  pass(30_000);
  expect(warnings).toEqual(["silent", "back"]);
});
