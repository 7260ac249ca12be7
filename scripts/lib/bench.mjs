// Measures the WebAssembly build, and combines the figures of both builds in one report.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { AIM_MS, LINE_MBIT_PER_S } from "./first-figure.mjs";
import { FRAME_AIM_MS } from "./frame-work.mjs";
import { engineDir } from "./project.mjs";
import { kb } from "./sizes.mjs";

const SLICE = 200_000;
const RECENT = 1_000_000;
const REPEATS = 3;
const CALLS = 200_000;
const VISITS_SLICE = 20_000_000;

/**
 * @typedef {Record<string, number>} Figures
 * @typedef {import("./wasm.mjs").Engine} Engine
 * @typedef {() => Promise<import("./wasm.mjs").Wasm>} Load makes a separate instance
 *
 * @typedef {object} Case
 * @property {string} name
 * @property {number} budget MiB for checkpoints; small on a teaching machine, so that memory stops
 *   growing: the browser grows memory, and some browsers do it slowly
 * @property {number} warmUp steps before the measurement
 * @property {number} run steps of one measurement at full speed
 * @property {number} stepped steps of one measurement step by step
 * @property {number} middle the step where backward searches start
 */

/** The same cases as in engine/cli/src/bench. @param {boolean} isQuick @returns {Case[]} */
function cases(isQuick) {
  const million = isQuick ? 200_000 : 1_000_000;
  return [
    {
      name: "teaching",
      budget: 32,
      warmUp: 10 * million,
      run: 100 * million,
      stepped: 20 * million,
      middle: 100 * million,
    },
    {
      name: "4mi",
      budget: 512,
      warmUp: 100 * million,
      run: 50 * million,
      stepped: 15 * million,
      middle: 100 * million,
    },
    {
      name: "storm",
      budget: 512,
      warmUp: 120_000_000,
      run: 20 * million,
      stepped: 5 * million,
      middle: 125_000_000,
    },
  ];
}

/** Sizes of the machines on which reclaim is measured, as in engine/cli/src/bench: name, pages. */
const RECLAIM_SIZES = /** @type {const} */ ([
  ["64ki", 2 ** 16],
  ["256ki", 2 ** 18],
  ["1mi", 2 ** 20],
  ["4mi", 2 ** 22],
]);
/**
 * The time at which kswapd starts, and a time long after it has ended, ns; as in
 * engine/cli/src/bench.
 */
const RECLAIM_NS = [600_500_000_000, 620_000_000_000];

/**
 * @param {Load} load
 * @param {boolean} isQuick
 * @param {(line: string) => void} say
 * @returns {Promise<Figures>}
 */
export async function measureWasm(load, isQuick, say) {
  /** @type {Figures} */
  const figures = {};
  for (const kind of cases(isQuick)) {
    say(`wasm: ${kind.name}`);
    const { engine, memory, frames } = await open(load, kind.budget, benchmark(kind.name));
    speeds(engine, kind, isQuick ? 12 : 40, figures);
    if (kind.name === "teaching") {
      figures.step_per_call_teaching_points_per_s = stepsPerCall(engine);
    } else if (kind.name === "4mi") {
      const bytes = memory.buffer.byteLength;
      figures.memory_4mi_mib = bytes / 2 ** 20;
      figures.memory_4mi_bytes_per_frame = bytes / frames;
    }
    engine.free();
  }
  say("wasm: allocator");
  figures.allocator_ops_per_s = await allocator(load, isQuick ? 10e6 : 50e6);
  say("wasm: reclaim");
  for (const [name, pages] of RECLAIM_SIZES) {
    figures[`page_visits_${name}_per_s`] = await visits(load, pages);
  }
  return figures;
}

/**
 * Page visits a second of kswapd alone, on lists in random order after random reads. The result is
 * the median of several equal runs, each from the start of kswapd. The result includes the few
 * anchors that a session sets during the run, which the native figure does not include.
 * @param {Load} load
 * @param {number} pages
 */
async function visits(load, pages) {
  const experiment = JSON.parse(
    readFileSync(join(engineDir, "cli", "bench", "reclaim.json"), "utf8"),
  );
  experiment.machine.nodes[0].ranges[0].pages = pages;
  experiment.interventions[0].set["vm.min_free_kbytes"] = String(Math.floor((pages * 4 * 3) / 5));
  const { engine } = await open(load, 1, JSON.stringify(experiment));
  const runTo = (/** @type {number | undefined} */ time_ns) => {
    for (let done = false; !done; ) ({ done } = engine.run(0, VISITS_SLICE, undefined, time_ns));
  };
  const scanned = () =>
    engine.view(0).counters.find(([name]) => name === "pgscan_kswapd")?.[1] ?? 0;
  runTo(RECLAIM_NS[0]);
  const [begins, before] = [here(engine), scanned()];
  const rates = Array.from({ length: REPEATS }, () => {
    arrive(engine, engine.seek(0, begins));
    const took_ms = milliseconds(() => runTo(RECLAIM_NS[1]));
    return ((scanned() - before) * 1000) / took_ms;
  });
  engine.free();
  return median(rates);
}

/** An experiment of the benchmark as JSON. @param {string} name */
const benchmark = (name) => readFileSync(join(engineDir, "cli", "bench", `${name}.json`), "utf8");

/**
 * Opens an experiment in a fresh engine.
 * @param {Load} load
 * @param {number} budget MiB for checkpoints
 * @param {string} json
 * @returns {Promise<{ engine: Engine, memory: WebAssembly.Memory, frames: number }>}
 */
async function open(load, budget, json) {
  const { Engine, memory, read } = await load();
  const reading = read(json);
  if ("faults" in reading) throw new Error(JSON.stringify(reading.faults));
  const engine = new Engine(budget);
  engine.open(0, json);
  return { engine, memory, frames: reading.frames };
}

/** @param {Engine} engine */
const here = (engine) => engine.view(0).position.step;

/** @param {Engine} engine @param {number} steps */
function run(engine, steps) {
  engine.run(0, steps, here(engine) + steps);
}

/**
 * Executes one point after another with recording on. The loop follows kswapd until it calls a
 * function, because kswapd never leaves its outermost function.
 * @param {Engine} engine
 * @param {number} steps
 */
function step(engine, steps) {
  const { tasks, position } = engine.view(0);
  const kswapd = tasks.find(({ name }) => name.startsWith("kswapd"))?.id ?? 0;
  const goal = position.step + steps;
  for (let at = position.step; at < goal; ) {
    at = engine.step(0, "out", kswapd, goal - at).position.step;
  }
}

/** @param {Engine} engine @returns {number} steps a second with one call for each step */
function stepsPerCall(engine) {
  return perSecond(CALLS, () => {
    for (let n = 0; n < CALLS; n += 1) engine.step(0, "any", undefined, 1);
  });
}

/** @param {Engine} engine @param {import("./wasm.mjs").Advance} begun */
function arrive(engine, begun) {
  for (let { done } = begun; !done; ) ({ done } = engine.seek_more(0, SLICE));
}

/**
 * @param {Engine} engine
 * @param {Case} kind
 * @param {number} looks
 * @param {Figures} figures
 */
function speeds(engine, { name, warmUp, run: runSteps, stepped, middle }, looks, figures) {
  run(engine, warmUp);
  const rate = (/** @type {number} */ steps, /** @type {() => void} */ work) =>
    median(Array.from({ length: REPEATS }, () => perSecond(steps, work)));
  figures[`run_${name}_points_per_s`] = rate(runSteps, () => run(engine, runSteps));
  figures[`step_recorded_${name}_points_per_s`] = rate(stepped, () => step(engine, stepped));
  run(engine, Math.max(0, middle - here(engine)));
  const from = here(engine);
  figures[`looked_back_from_${name}_step`] = from;
  const scanned = engine.view(0).counters.find(([counter]) => counter === "pgscan_direct");
  figures[`direct_reclaim_${name}_pages_before`] = scanned?.[1] ?? 0;
  figures[`settle_${name}_ms`] = milliseconds(() => {
    while (!engine.settle(0, SLICE));
  });
  const times = (/** @type {() => void} */ work) =>
    Array.from({ length: looks }, () => milliseconds(work));
  const backs = times(() => arrive(engine, engine.back(0, "step")));
  const random = randomNumbers();
  const seeks = times(() => arrive(engine, engine.seek(0, from - Math.floor(random() * RECENT))));
  for (const [what, all] of /** @type {const} */ ([
    ["step_back", backs],
    ["seek", seeks],
  ])) {
    figures[`${what}_${name}_ms`] = median(all);
    figures[`${what}_${name}_max_ms`] = Math.max(...all);
  }
}

/**
 * @param {Load} load
 * @param {number} steps
 * @returns {Promise<number>} allocations and frees a second
 */
async function allocator(load, steps) {
  const { engine } = await open(load, 32, benchmark("allocator"));
  run(engine, steps / 4);
  const operations = () =>
    engine
      .view(0)
      .counters.filter(([name]) => name.startsWith("pgalloc") || name === "pgfree")
      .reduce((sum, [, count]) => sum + count, 0);
  const rates = Array.from({ length: REPEATS }, () => {
    const before = operations();
    const runs = perSecond(1, () => run(engine, steps));
    return runs * (operations() - before);
  });
  engine.free();
  return median(rates);
}

/** A generator that returns the same numbers in every run. */
function randomNumbers() {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** @param {() => void} work */
function milliseconds(work) {
  const begun = performance.now();
  work();
  return performance.now() - begun;
}

/** @param {number} count @param {() => void} work */
const perSecond = (count, work) => (count * 1000) / milliseconds(work);

/** @param {number[]} values */
export const median = (values) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/**
 * @typedef {object} Report
 * @property {Record<string, unknown>} env
 * @property {Figures} native
 * @property {Figures} wasm
 * @property {Record<string, number>} ratios
 * @property {Record<string, Record<string, number>>} aims
 *
 * @typedef {Report & {
 *   first_figure_ms: Record<string, number>,
 *   frame_work_ms: Record<string, number>,
 *   gzipped_bytes: import("./sizes.mjs").Sizes,
 * }} FullReport with the time and size of a visitor's downloads
 */

/**
 * Combines the figures of both builds.
 * @param {Omit<Report, "wasm">} native the output of `mmscope bench --json`
 * @param {Figures} wasm
 * @returns {Report}
 */
export function together({ env, native, ratios, aims }, wasm) {
  const speeds = Object.keys(wasm).filter((name) => name.endsWith("_per_s") && name in native);
  const compared = speeds.map((name) => [
    `wasm_to_native_${name.replace(/(_points|_ops)?_per_s$/, "")}`,
    (wasm[name] ?? 0) / (native[name] ?? 1),
  ]);
  return {
    env: { ...env, node: process.versions.node, v8: process.versions.v8 },
    native,
    wasm,
    ratios: { ...ratios, ...Object.fromEntries(compared) },
    aims,
  };
}

/** The environment of the measurement. @param {Record<string, unknown>} env */
const where = (env) =>
  `${env.cpu ?? env.arch}, ${env.cpus} CPUs, Node ${env.node}${env.quick ? ", quick" : ""}`;

/** Rows of name, native, WebAssembly, aim. @param {Report} report @returns {string[][]} */
function rowsOf({ native, wasm, ratios, aims }) {
  const names = [...new Set([...Object.keys(native), ...Object.keys(wasm)])];
  const rows = names.map((name) => [name, show(native[name]), show(wasm[name]), aim(aims[name])]);
  const { wasm_to_native = 0, list_touches_to_pointer_chase = 0 } = aims.ratios ?? {};
  const compared = Object.entries(ratios).map(([name, ratio]) => {
    const targetRatio = name.startsWith("list") ? list_touches_to_pointer_chase : wasm_to_native;
    return [name, show(ratio), "", `at least ${targetRatio}`];
  });
  return [["", "native", "wasm", "aim"], ...rows, ["ratios", "", "", ""], ...compared];
}

/** A visitor's waits and downloads: rows of name, value, aim. @param {FullReport} report */
const waitsOf = ({
  first_figure_ms,
  frame_work_ms,
  gzipped_bytes: { figures, engine, texts, later },
}) => [
  ...Object.entries(first_figure_ms).map(([page, ms]) => [
    `first figure alive, ${page}`,
    `${(ms / 1000).toFixed(2)} s`,
    `at most ${AIM_MS / 1000} s`,
  ]),
  ...Object.entries(frame_work_ms).map(([thread, ms]) => [
    `work a frame at play, ${thread}, 95 %`,
    `${ms.toFixed(1)} ms`,
    `at most ${FRAME_AIM_MS} ms`,
  ]),
  ...Object.entries({ ...figures, later }).map(([page, bytes]) => [
    `JS and CSS, ${page}`,
    kb(bytes),
    page === "later" ? "" : "about 250 kB",
  ]),
  ["engine", kb(engine), "about 450 kB"],
  ["the engine's texts", kb(texts), ""],
];

/** @param {FullReport} report @returns {string} */
export function table(report) {
  const speeds = rowsOf(report).map(([name = "", a = "", b = "", targetRatio = ""]) =>
    `${name.padEnd(42)}${a.padStart(12)}${b.padStart(12)}  ${targetRatio}`.trimEnd(),
  );
  const waits = waitsOf(report).map(([name = "", value = "", targetRatio = ""]) =>
    `${name.padEnd(42)}${value.padStart(12)}${"".padStart(12)}  ${targetRatio}`.trimEnd(),
  );
  return `${where(report.env)}\n${[...speeds, WAITS, ...waits].join("\n")}\n`;
}

const WAITS = `a visit over ${LINE_MBIT_PER_S} Mbit/s, and what it loads gzipped`;

/** The figures as docs/measurements.md. @param {FullReport} report @returns {string} */
export function document(report) {
  const rows = (/** @type {string[][]} */ all) => all.map((row) => `| ${row.join(" | ")} |`);
  const [head = [], ...speeds] = rowsOf(report);
  return [
    "# Measurements",
    "",
    `Written by \`npm run bench -- --write\` on: ${where(report.env)}. Medians; what a name measures is in`,
    "`engine/cli/src/bench`, `scripts/lib/bench.mjs`, `first-figure.mjs` and `frame-work.mjs` beside it.",
    "",
    "## A visit",
    "",
    `${WAITS[0]?.toUpperCase()}${WAITS.slice(1)}.`,
    "",
    ...rows([["", "measured", "aim"], ["---", "---:", "---"], ...waitsOf(report)]),
    "",
    "## The engine",
    "",
    ...rows([head, ["---", "---:", "---:", "---"], ...speeds]),
    "",
  ].join("\n");
}

/** @param {Record<string, number> | undefined} aim */
function aim(aim) {
  const [[how, value] = []] = Object.entries(aim ?? {});
  if (how === undefined) return "";
  const words = { wasm_at_least: "wasm at least", at_least: "at least", at_most: "at most" };
  return `${words[/** @type {keyof typeof words} */ (how)] ?? how} ${show(value)}`;
}

/** @param {number | undefined} value */
function show(value) {
  if (value === undefined) return "";
  if (value >= 1e6) return `${(value / 1e6).toFixed(1)} M`;
  return value >= 1000 ? value.toFixed(0) : value.toFixed(2);
}
