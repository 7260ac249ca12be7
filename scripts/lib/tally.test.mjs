import { expect, test } from "vitest";
import { closingLine, settle, sum, tallyCargo, tallyPlaywright, tallyVitest } from "./tally.mjs";

test("cargo: every test program's line counts, and only those lines", () => {
  const output = [
    "running 2 tests",
    "test list::tests::add ... ok",
    "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s",
    "the words test result: ok. 9 passed; 9 failed; 9 ignored; inside a line",
    "test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.20s",
  ].join("\n");
  expect(tallyCargo(output)).toEqual({ passed: 15, failed: 2, skipped: 1 });
});

test("vitest: a file that does not load is one failed test", () => {
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

test("playwright: a second try that passes is a pass, an error outside a test a failure", () => {
  const stats = { expected: 7, unexpected: 1, flaky: 2, skipped: 1 };
  expect(tallyPlaywright({ stats, errors: [{}] })).toEqual({ passed: 9, failed: 2, skipped: 1 });
});

test.each([
  ["all well", { passed: 3, failed: 0, skipped: 0 }, 0, 0],
  ["a counted failure", { passed: 3, failed: 2, skipped: 0 }, 1, 2],
  ["a crash after some passed", { passed: 3, failed: 0, skipped: 0 }, 101, 1],
  ["nothing ran", { passed: 0, failed: 0, skipped: 0 }, 0, 1],
  ["everything skipped", { passed: 0, failed: 0, skipped: 4 }, 0, 1],
])("settle: %s", (_name, tally, exitCode, failed) => {
  expect(settle(tally, exitCode).failed).toBe(failed);
});

test("the closing line adds the stages up", () => {
  const tallies = [
    { passed: 1, failed: 0, skipped: 0 },
    { passed: 40, failed: 2, skipped: 3 },
  ];
  expect(closingLine(sum(tallies))).toBe("41 passed, 2 failed");
});
