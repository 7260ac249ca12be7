// Counts tests from what each runner says, for the line a check ends with.

/**
 * @typedef {object} Tally
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 * @property {string} [fault] the last lines of each runner that failed
 */

/** What a runner says of its failures it says last. */
const LAST_LINES = 60;

/**
 * @param {string} output of `cargo test`: one `test result:` line for each test program
 * @returns {Tally}
 */
export function tallyCargo(output) {
  const lines = output.matchAll(/^test result: .*? (\d+) passed; (\d+) failed; (\d+) ignored;/gm);
  return sum(
    [...lines].map(([, passed, failed, skipped]) => ({
      passed: Number(passed),
      failed: Number(failed),
      skipped: Number(skipped),
    })),
  );
}

/**
 * What `cargo test` says of its failures, wherever it stands: the programs after a failed one run too.
 * @param {string} output
 * @returns {string} all of it where no test is named
 */
export function failuresOfCargo(output) {
  const said = output.match(/^failures:\n[\s\S]*?^test result: FAILED.*$/gm);
  return said?.join("\n") ?? output;
}

/**
 * A file that cannot be loaded has no tests and counts as one failed.
 * @param {{ numPassedTests: number, numFailedTests: number, numPendingTests?: number, numTodoTests?: number,
 *   testResults?: { status: string, assertionResults: unknown[] }[] }} report
 * @returns {Tally}
 */
export function tallyVitest(report) {
  const unloaded = (report.testResults ?? []).filter(
    ({ status, assertionResults }) => status === "failed" && assertionResults.length === 0,
  );
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + unloaded.length,
    skipped: (report.numPendingTests ?? 0) + (report.numTodoTests ?? 0),
  };
}

/**
 * A journey that passed when tried again has passed; an error outside the journeys counts as one failed.
 * @param {{ stats: { expected: number, unexpected: number, flaky: number, skipped: number }, errors?: unknown[] }} report
 * @returns {Tally}
 */
export function tallyPlaywright({ stats, errors = [] }) {
  return {
    passed: stats.expected + stats.flaky,
    failed: stats.unexpected + errors.length,
    skipped: stats.skipped,
  };
}

/**
 * Holds a runner's counts against its exit code: a runner that failed without naming a test has
 * failed once, and one that ran nothing has checked nothing. A failure keeps the runner's last words:
 * what is said in the middle of a long check is not found again where only its end is kept.
 * @param {Tally} tally
 * @param {{ code: number, out: string }} ran
 * @returns {Tally}
 */
export function settle(tally, { code, out }) {
  const isUnexplained = tally.failed === 0 && (code !== 0 || tally.passed === 0);
  const settled = isUnexplained ? { ...tally, failed: 1 } : tally;
  if (settled.failed === 0) return settled;
  return { ...settled, fault: out.trimEnd().split("\n").slice(-LAST_LINES).join("\n") };
}

/**
 * @param {Tally[]} tallies
 * @returns {Tally}
 */
export function sum(tallies) {
  const faults = tallies.flatMap(({ fault }) => fault ?? []);
  /** @param {"passed" | "failed" | "skipped"} count */
  const all = (count) => tallies.reduce((total, tally) => total + tally[count], 0);
  return {
    passed: all("passed"),
    failed: all("failed"),
    skipped: all("skipped"),
    ...(faults.length > 0 && { fault: faults.join("\n") }),
  };
}

/**
 * @param {Tally} tally
 * @returns {string}
 */
export const closingLine = ({ passed, failed }) => `${passed} passed, ${failed} failed`;
