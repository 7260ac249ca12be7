import { expect, test } from "vitest";
import { Watchdog } from "./watchdog";

/** A watchdog on a clock of its own; the worker answers after so many ms, or never. */
function watched(answersAfter_ms: () => number | null) {
  const said: string[] = [];
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
      silent: () => said.push("silent"),
      back: () => said.push("back"),
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
  return { dog, said, pass, hide, now: () => now };
}

test("a worker that answers is left alone, one that dies is noticed within two seconds", () => {
  let isAlive = true;
  const { dog, said, pass } = watched(() => (isAlive ? 50 : null));
  dog.hear();
  pass(60_000);
  expect(said).toEqual([]);
  isAlive = false;
  pass(2000);
  expect(said).toEqual(["silent"]);
  pass(60_000);
  expect(said).toEqual(["silent"]);
});

test("a worker that did not start yet is not waited for", () => {
  const { said, pass } = watched(() => null);
  pass(60_000);
  expect(said).toEqual([]);
});

test("slices of a second are no silence, nor is a long piece that was announced", () => {
  let after: number | null = 1000;
  const { dog, said, pass } = watched(() => after);
  dog.hear();
  pass(20_000);
  after = null;
  // What was asked before is answered before it begins.
  pass(1000);
  dog.hear(true);
  pass(30_000);
  expect(said).toEqual([]);
  pass(40_000);
  expect(said).toEqual(["silent"]);
});

test("a hidden page hears nothing and asks nothing; shown again it begins anew", () => {
  const { dog, said, pass, hide } = watched(() => null);
  dog.hear();
  hide(true);
  pass(60_000);
  hide(false);
  pass(1000);
  expect(said).toEqual([]);
  pass(1000);
  expect(said).toEqual(["silent"]);
});

test("timers that are held back say nothing of the worker", () => {
  const { dog, said, pass } = watched(() => null);
  dog.hear();
  pass(60_000, 1000);
  expect(said).toEqual([]);
});

test("who was only slow is heard again", () => {
  let after: number | null = 3000;
  const { dog, said, pass } = watched(() => after);
  dog.hear();
  pass(2000);
  after = 50;
  pass(5000);
  expect(said).toEqual(["silent", "back"]);
});
