import { expect, test } from "vitest";
import {
  closingLine,
  failuresOfCargo,
  flakyLines,
  settle,
  sum,
  tallyCargo,
  tallyPlaywright,
  tallyVitest,
} from "./tally.mjs";

test("cargo: counts only the result line of every test program", () => {
  const output = [
    "running 2 tests",
    "test list::tests::add ... ok",
    "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s",
    "the words test result: ok. 9 passed; 9 failed; 9 ignored; inside a line",
    "test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.20s",
  ].join("\n");
  expect(tallyCargo(output)).toEqual({ passed: 15, failed: 2, skipped: 1 });
});

test("cargo: finds failures between programs that passed", () => {
  const failed = [
    "failures:",
    "",
    "---- list::add stdout ----",
    "assertion failed",
    "",
    "failures:",
    "    list::add",
    "",
    "test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out",
  ].join("\n");
  const passed = "running 1 test\ntest result: ok. 1 passed; 0 failed; 0 ignored;";
  expect(failuresOfCargo(`${passed}\n${failed}\n${passed}`)).toBe(failed);
  expect(failuresOfCargo("error: could not compile `mm`")).toBe("error: could not compile `mm`");
});

test("vitest: a file that does not load counts as one failed test", () => {
  const report = {
    numPassedTests: 5,
    numFailedTests: 1,
    numPendingTests: 2,
    numTodoTests: 1,
    testResults: [
      { status: "failed", assertionResults: [] },
      { status: "failed", assertionResults: [{}] },
      { status: "passed", assertionResults: [{}] },
    ],
  };
  expect(tallyVitest(report)).toEqual({ passed: 5, failed: 2, skipped: 3 });
});

test("playwright: counts a retry that passes as passed and an error outside a test as failed", () => {
  const stats = { expected: 7, unexpected: 1, flaky: 2, skipped: 1 };
  expect(tallyPlaywright({ stats, errors: [{}] })).toEqual({ passed: 9, failed: 2, skipped: 1 });
});

test("playwright: names a journey that passed only on its retry, including journeys in groups", () => {
  const spec = (/** @type {string} */ title, /** @type {string} */ status) => ({
    title,
    tests: [{ status, projectName: "phone" }],
  });
  const report = {
    stats: { expected: 2, unexpected: 0, flaky: 2, skipped: 0 },
    suites: [
      {
        title: "share.spec.ts",
        specs: [spec("a link opens", "flaky"), spec("a file opens", "expected")],
        suites: [
          { title: "offline", specs: [spec("it waits", "flaky"), spec("it stays", "expected")] },
        ],
      },
    ],
  };
  const journeys = settle(tallyPlaywright(report), { code: 0, out: "" });
  const total = sum([{ passed: 3, failed: 0, skipped: 0 }, journeys]);
  expect(closingLine(total)).toBe("7 passed, 0 failed");
  expect(flakyLines(total)).toEqual([
    "flaky: [phone] share.spec.ts > a link opens (failed, then passed when it was run once more)",
    "flaky: [phone] share.spec.ts > offline > it waits (failed, then passed when it was run once more)",
  ]);
  expect(flakyLines(sum([]))).toEqual([]);
});

test.each([
  ["all well", { passed: 3, failed: 0, skipped: 0 }, 0, 0],
  ["a counted failure", { passed: 3, failed: 2, skipped: 0 }, 1, 2],
  ["a crash after some passed", { passed: 3, failed: 0, skipped: 0 }, 101, 1],
  ["nothing ran", { passed: 0, failed: 0, skipped: 0 }, 0, 1],
  ["everything skipped", { passed: 0, failed: 0, skipped: 4 }, 0, 1],
])("settle counts failures: %s", (_name, tally, code, failed) => {
  expect(settle(tally, { code, out: "" }).failed).toBe(failed);
});

test("keeps the last lines of failed runners only, stage by stage", () => {
  const tally = { passed: 1, failed: 0, skipped: 0 };
  const good = settle(tally, { code: 0, out: "all is well\n" });
  const long = Array.from({ length: 100 }, (_, line) => `line ${line}`).join("\n");
  const bad = settle(tally, { code: 1, out: `${long}\n\n` });
  expect(good.fault).toBeUndefined();
  expect(bad.fault).toMatch(/^line 40\n[\s\S]*line 99$/);
  expect(sum([good, bad, bad]).fault).toBe(`${bad.fault}\n${bad.fault}`);
  expect(sum([good]).fault).toBeUndefined();
});

test("the last line adds up the stages", () => {
  const tallies = [
    { passed: 1, failed: 0, skipped: 0 },
    { passed: 40, failed: 2, skipped: 3 },
  ];
  expect(closingLine(sum(tallies))).toBe("41 passed, 2 failed");
});
