// Counts tests from what each runner says, for the line a check ends with.

/**
 * @typedef {object} Tally
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 */

/** @type {Tally} */
const NONE = { passed: 0, failed: 0, skipped: 0 };

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
 * failed once, and one that ran nothing has checked nothing.
 * @param {Tally} tally
 * @param {number} exitCode
 * @returns {Tally}
 */
export function settle(tally, exitCode) {
  const isUnexplained = tally.failed === 0 && (exitCode !== 0 || tally.passed === 0);
  return isUnexplained ? { ...tally, failed: 1 } : tally;
}

/**
 * @param {Tally[]} tallies
 * @returns {Tally}
 */
export function sum(tallies) {
  return tallies.reduce(
    (total, tally) => ({
      passed: total.passed + tally.passed,
      failed: total.failed + tally.failed,
      skipped: total.skipped + tally.skipped,
    }),
    NONE,
  );
}

/**
 * @param {Tally} tally
 * @returns {string}
 */
export const closingLine = ({ passed, failed }) => `${passed} passed, ${failed} failed`;
