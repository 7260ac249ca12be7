// Counts tests from the reports of the runners, for the last line of a check.

/**
 * @typedef {object} Tally
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 * @property {string} [fault] the last lines of each failed runner
 * @property {string[]} [flaky] journeys that passed only on their retry
 */

/** The number of lines to keep from the end of a runner's output. */
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
 * The failures in the output of `cargo test`. They may be anywhere, because programs after a failed one
 * run too.
 * @param {string} output
 * @returns {string} the whole output if it names no test
 */
export function failuresOfCargo(output) {
  const failures = output.match(/^failures:\n[\s\S]*?^test result: FAILED.*$/gm);
  return failures?.join("\n") ?? output;
}

/**
 * A file that does not load has no tests and counts as one failed test.
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
 * @typedef {object} Suite a file, or a group in one
 * @property {string} title
 * @property {Suite[]} [suites]
 * @property {{ title: string, tests: { status: string, projectName: string }[] }[]} [specs]
 */

/**
 * A journey that passed on its retry counts as passed, and is named. An error outside the journeys counts
 * as one failure.
 * @param {{ stats: { expected: number, unexpected: number, flaky: number, skipped: number }, errors?: unknown[],
 *   suites?: Suite[] }} report
 * @returns {Tally}
 */
export function tallyPlaywright({ stats, errors = [], suites = [] }) {
  const flaky = flakyOf(suites);
  return {
    passed: stats.expected + stats.flaky,
    failed: stats.unexpected + errors.length,
    skipped: stats.skipped,
    ...(flaky.length > 0 && { flaky }),
  };
}

/**
 * @param {Suite[]} suites
 * @param {string[]} [above] titles of the suites around them
 * @returns {string[]} project, file and titles of each flaky journey
 */
function flakyOf(suites, above = []) {
  return suites.flatMap(({ title, suites: inner = [], specs = [] }) => {
    const path = [...above, title];
    const own = specs.flatMap((spec) =>
      spec.tests
        .filter(({ status }) => status === "flaky")
        .map(({ projectName }) => `[${projectName}] ${[...path, spec.title].join(" > ")}`),
    );
    return [...own, ...flakyOf(inner, path)];
  });
}

/**
 * Compares a runner's counts with its exit code. A runner that failed without naming a test counts as one
 * failure, and so does one that ran nothing. A failure keeps the last lines of the runner, so that the end
 * of a long check shows them.
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
  const flaky = tallies.flatMap((tally) => tally.flaky ?? []);
  /** @param {"passed" | "failed" | "skipped"} count */
  const all = (count) => tallies.reduce((total, tally) => total + tally[count], 0);
  return {
    passed: all("passed"),
    failed: all("failed"),
    skipped: all("skipped"),
    ...(faults.length > 0 && { fault: faults.join("\n") }),
    ...(flaky.length > 0 && { flaky }),
  };
}

/**
 * @param {Tally} tally
 * @returns {string}
 */
export const closingLine = ({ passed, failed }) => `${passed} passed, ${failed} failed`;

/**
 * @param {Tally} tally
 * @returns {string[]} a line for each journey that passed only on its retry
 */
export const flakyLines = ({ flaky = [] }) =>
  flaky.map((name) => `flaky: ${name} (failed, then passed when it was run once more)`);
