// The stages of a check, fast ones first. A stage that needs a failed one is not run and counts as failed.

import { spawn } from "node:child_process";
import { mkdirSync, openSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { buildEmbed, buildEngine, buildPage, buildTruth, distSizes } from "./builds.mjs";
import { cacheDir, engineDir, localBin, Refusal, root, run, seconds } from "./project.mjs";
import { freePort } from "./server.mjs";
import { sizeWords } from "./sizes.mjs";
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
import { Times } from "./times.mjs";

/**
 * @typedef {import("./tally.mjs").Tally} Tally
 *
 * @typedef {object} Stage
 * @property {string} name
 * @property {string[]} [needs] stages that must have passed
 * @property {boolean} [ahead] started in the background before the first stage
 * @property {(timed: Timed) => Promise<Tally>} work
 *
 * Measures a step of a stage.
 * @typedef {<T>(step: string, work: () => Promise<T>) => Promise<T>} Timed
 */

/** The page, its workers, their tests, and the code that runs in Node have different globals. */
const TYPE_PROJECTS = [
  "tsconfig.json",
  "tsconfig.worker.json",
  "tsconfig.test.json",
  "tsconfig.node.json",
];

/** Set in the background check, so that it does not start another one. */
const AHEAD = "MMSCOPE_AHEAD";

/** @type {Stage[]} */
const STAGES = [
  {
    name: "format",
    work: (timed) => all(timed, [biome("format"), cargo("fmt", "--all", "--check")]),
  },
  {
    name: "lint",
    work: (timed) =>
      all(timed, [
        biome("lint"),
        [localBin("knip"), ["--no-progress"]],
        [process.execPath, [join(root, "scripts/lint-functions.mjs")]],
        [process.execPath, [join(root, "scripts/lint-prose.mjs")]],
        [process.execPath, [join(root, "scripts/lint-texts.mjs")]],
        cargo("clippy", "--workspace", "--all-targets", "--", "-D", "warnings"),
      ]),
  },
  { name: "rust", work: rustTests },
  { name: "engine", ahead: true, work: () => make(() => buildEngine("release")) },
  { name: "truth", ahead: true, work: () => make(buildTruth) },
  {
    name: "types",
    needs: ["engine"],
    work: (timed) =>
      all(
        timed,
        TYPE_PROJECTS.map((file) => [localBin("tsc"), ["-p", file]]),
      ),
  },
  { name: "unit", needs: ["engine", "truth"], work: unitTests },
  {
    name: "page",
    needs: ["engine", "truth"],
    work: () => make(page),
  },
  { name: "package", needs: ["engine"], work: () => make(buildEmbed) },
  { name: "journeys", needs: ["page", "package"], work: journeys },
];

/**
 * Runs the stages and prints the closing line last.
 * @param {string[]} names stages to run, with those they need; all if empty
 * @returns {Promise<number>} exit code
 */
export async function check(names) {
  const chosen = chooseStages(STAGES, names);
  const started = performance.now();
  /** @type {Map<string, Tally>} */
  const tallies = new Map();
  const times = new Times();
  const isAhead = process.env[AHEAD] !== undefined;
  const ahead = chosen
    .filter((stage, at) => stage.ahead && at > 0 && !isAhead)
    .map(({ name }) => name);
  const background = ahead.length > 0 ? beginAhead(ahead) : undefined;
  for (const [index, stage] of chosen.entries()) {
    console.log(`\n--- ${index + 1}/${chosen.length} ${stage.name}`);
    if (ahead.includes(stage.name)) await background?.ended;
    const tally = await times.stage(stage.name, (timed) => runStage(stage, tallies, timed));
    tallies.set(stage.name, tally);
    const skipped = tally.skipped > 0 ? `, ${tally.skipped} skipped` : "";
    for (const line of times.stepsOf(stage.name)) console.log(line);
    console.log(
      `--- ${stage.name}: ${closingLine(tally)}${skipped} (${seconds(times.of(stage.name))})`,
    );
  }
  if (background) console.log(`\n--- in the background:\n${readFileSync(background.log, "utf8")}`);
  times.write(join(cacheDir, `times-${names.join("-") || "check"}.json`));
  const total = sum([...tallies.values()]);
  const failed = [...tallies].filter(([, tally]) => tally.failed > 0).map(([name]) => name);
  for (const [name, { fault }] of tallies) if (fault) console.log(`\n--- ${name} said:\n${fault}`);
  for (const line of flakyLines(total)) console.log(line);
  console.log(
    `\n${failed.length > 0 ? `Failed: ${failed.join(", ")}. ` : ""}Took ${seconds(performance.now() - started)}.`,
  );
  console.log(closingLine(total));
  return total.failed > 0 ? 1 : 0;
}

/**
 * @template {{ name: string, needs?: string[] }} S
 * @param {S[]} stages
 * @param {string[]} names
 * @returns {S[]} in the stages' own order
 */
export function chooseStages(stages, names) {
  const chosen = new Set(names.length > 0 ? names : stages.map(({ name }) => name));
  for (const name of chosen) {
    const stage = stages.find((candidate) => candidate.name === name);
    if (!stage) {
      throw new Refusal(
        `There is no stage ${name}: choose from ${stages.map((s) => s.name).join(", ")}.`,
      );
    }
    for (const need of stage.needs ?? []) chosen.add(need);
  }
  return stages.filter(({ name }) => chosen.has(name));
}

/**
 * Does the work of some stages once in the background while earlier stages run, because optimising
 * the engine takes minutes of one processor. The stages later find the work done. A stage whose
 * background work failed fails again and shows the error.
 * @param {string[]} names
 * @returns {{ ended: Promise<void>, log: string }} ended when the work ends, successful or not; log: its output
 */
function beginAhead(names) {
  mkdirSync(cacheDir, { recursive: true });
  const log = join(cacheDir, "ahead.log");
  const out = openSync(log, "w");
  const child = spawn(process.execPath, [join(root, "scripts/check.mjs"), ...names], {
    stdio: ["ignore", out, out],
    env: { ...process.env, [AHEAD]: "1" },
  });
  const ended = new Promise((/** @type {(value: void) => void} */ resolve) =>
    child.on("error", () => resolve()).on("close", () => resolve()),
  );
  return { ended, log };
}

/**
 * @param {Stage} stage
 * @param {Map<string, Tally>} done
 * @param {Timed} timed
 * @returns {Promise<Tally>}
 */
async function runStage({ needs = [], work }, done, timed) {
  const broken = needs.filter((name) => done.get(name)?.failed !== 0);
  if (broken.length === 0) return work(timed);
  console.log(`Not run: ${broken.join(" and ")} failed.`);
  return one(false);
}

/**
 * @param {string} command
 * @returns {[string, string[]]}
 */
const biome = (command) => [localBin("biome"), [command, "--error-on-warnings", "."]];

/**
 * @param {...string} args
 * @returns {[string, string[], string]}
 */
const cargo = (...args) => ["cargo", args, engineDir];

/**
 * Runs every command, even after one has failed; together they count as one test.
 * @param {Timed} timed
 * @param {[string, string[], string?][]} commands
 */
async function all(timed, commands) {
  const tallies = [];
  for (const [program, args, cwd = root] of commands) {
    const step = [basename(program), ...args.slice(0, 2)].join(" ");
    const ran = await timed(step, () => run(program, args, { cwd, collect: true }));
    tallies.push(settle(one(ran.code === 0), ran));
  }
  const { failed, fault } = sum(tallies);
  return { ...one(failed === 0), ...(fault && { fault }) };
}

/** @param {() => Promise<string | undefined>} build */
async function make(build) {
  try {
    console.log((await build()) ?? "built");
    return one(true);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    console.log(error.message);
    return one(false);
  }
}

async function page() {
  const built = (await buildPage()) ?? "built";
  return `${built}: ${sizeWords(distSizes())}`;
}

/**
 * Compiles, then tests. `mmscope-wasm` is excluded: it has no tests, and its features would compile the
 * engine again.
 * @param {Timed} timed
 */
async function rustTests(timed) {
  const all = ["test", "--workspace", "--exclude", "mmscope-wasm", "--no-fail-fast"];
  const cargo = (/** @type {string[]} */ args) =>
    run("cargo", args, { cwd: engineDir, collect: true });
  await timed("compile", () => cargo([...all, "--no-run"]));
  const ran = await timed("run", () => cargo(all));
  return settle(tallyCargo(ran.out), { code: ran.code, out: failuresOfCargo(ran.out) });
}

async function unitTests() {
  const report = freshReport("vitest.json");
  const args = ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const ran = await run(localBin("vitest"), args, { collect: true });
  return settle(read(report, tallyVitest), ran);
}

async function journeys() {
  const report = freshReport("playwright.json");
  const ran = await run(localBin("playwright"), ["test", "--reporter=list,json"], {
    collect: true,
    env: { PLAYWRIGHT_JSON_OUTPUT_FILE: report, MMSCOPE_PORT: String(await freePort(4319)) },
  });
  return settle(read(report, tallyPlaywright), ran);
}

/** The path of a runner's report; deletes an old one. @param {string} name */
function freshReport(name) {
  mkdirSync(cacheDir, { recursive: true });
  const path = join(cacheDir, name);
  rmSync(path, { force: true });
  return path;
}

/**
 * @template R
 * @param {string} path
 * @param {(report: R) => Tally} tally
 * @returns {Tally} nothing passed or failed if the runner left no report
 */
function read(path, tally) {
  try {
    return tally(JSON.parse(readFileSync(path, "utf8")));
  } catch (error) {
    console.log(`No report at ${path}: ${error}`);
    return { passed: 0, failed: 0, skipped: 0 };
  }
}

/**
 * @param {boolean} passed
 * @returns {Tally}
 */
const one = (passed) => ({ passed: Number(passed), failed: Number(!passed), skipped: 0 });
