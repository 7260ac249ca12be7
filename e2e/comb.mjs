// Fragmented memory: a program fills a small machine and frees every fourth page. Some kernel pages lie
// between these pages, and then huge pages are requested.

import { deflateSync, strToU8 } from "fflate";
import { presetJson, stepIn } from "./moments.mjs";

/** @typedef {import("./moments.mjs").View} View */

const WORKLOAD = {
  id: "comb",
  title: "Memory like a comb",
  about: "Every fourth page is free, and then huge pages are asked for.",
  processes: [
    {
      name: "comb",
      program: [
        { op: "map", region: "heap", size: "13 MiB" },
        { op: "touch", region: "heap", write: true },
        { op: "alloc", pool: "kernel", order: 0, count: 100, type: "unmovable" },
        { op: "dontneed", region: "heap", every: 4 },
        { op: "think", time: "10s" },
      ],
    },
    {
      name: "pool",
      start: "200ms",
      program: [
        {
          op: "sample",
          name: "huge page",
          times: 14,
          do: [{ op: "alloc", pool: "huge", order: 6, count: 1, type: "movable", go_on: true }],
        },
      ],
    },
  ],
};

/** @param {string} kernel @returns {[string[], unknown][]} */
const changes = (kernel) => [
  [["id"], "comb"],
  [["title"], "Memory like a comb"],
  [["kernel"], kernel],
  [["workload"], WORKLOAD],
  [["length"], "8s"],
];

/** The ready-made experiment that this run modifies. */
const PRESET = "stress-highalloc.teach";

/** The address of this run with a kernel. @param {string} kernel */
export function combAddress(kernel) {
  const document = { v: 4, preset: PRESET, changes: changes(kernel) };
  const packed = Buffer.from(deflateSync(strToU8(JSON.stringify(document)))).toString("base64url");
  return `#/workbench?x=${packed}`;
}

/** The same run as an experiment. @param {string} kernel */
function combJson(kernel) {
  const experiment = JSON.parse(presetJson(PRESET));
  for (const [[field = ""], value] of changes(kernel)) experiment[field] = value;
  return JSON.stringify(experiment);
}

/** The run of compaction that the view shows. @param {View} view */
const runOf = ({ pageblocks }) => pageblocks.find(({ run }) => run !== null)?.run;

/** A page is being moved to another frame. @param {string} kernel */
export const stepOfMove = (kernel) =>
  stepIn(
    combJson(kernel),
    (view) => runOf(view) !== undefined,
    (view) => runOf(view)?.moved?.done === false,
  );

/** A block was skipped because it is not movable. @param {string} kernel */
export const stepOfSkip = (kernel) =>
  stepIn(
    combJson(kernel),
    (view) => runOf(view)?.movable_only === true,
    (view) => runOf(view)?.passed.some(({ target }) => !target) === true,
  );

/** A run that began at its hint moves a page. @param {string} kernel */
export const stepOfHint = (kernel) =>
  stepIn(
    combJson(kernel),
    (view) => typeof runOf(view)?.hint === "number",
    (view) => typeof runOf(view)?.hint === "number" && runOf(view)?.moved !== null,
  );
