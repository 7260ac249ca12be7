// A storm in 8 MiB: writers dirty pages faster than a slow disk writes, and there is no swap, so
// that most pages that reclaim finds are under writeback. Reclaimers wait for every reason that the
// kernels of 2021 have.

import { deflateSync, strToU8 } from "fflate";

const MACHINE = {
  id: "storm",
  title: "One node of 8 MiB and a slow disk",
  arch: "x86_64",
  page_size_kib: 4,
  nodes: [{ ranges: [{ start_pfn: 1048576, pages: 2048 }], cpus: 4 }],
  distances: [[10]],
  hz: 250,
  thp: "never",
  costs: "s2011",
  pcp: false,
  zonelist_order: "default",
  devices: [{ id: "sda", model: "throttled", bytes_per_s: 2097152, files: true, swap: 0 }],
};

/** The same workload on two nodes. */
const TWO_NODES = {
  ...MACHINE,
  title: "Two nodes of 8 MiB and a slow disk",
  nodes: [0, 1].map((node) => ({
    ranges: [{ start_pfn: 1048576 + 2048 * node, pages: 2048 }],
    cpus: 2,
  })),
  distances: [
    [10, 20],
    [20, 10],
  ],
};

const WORKLOAD = {
  id: "storm",
  title: "Writers faster than the disk",
  about: "Three programs write one file, over and over.",
  files: [{ name: "data", size: "64 MiB" }],
  processes: [
    {
      name: "writer",
      count: 3,
      program: [
        {
          op: "repeat",
          times: 4000000000,
          do: [{ op: "write", file: "data", chunk: "64 KiB" }],
        },
      ],
    },
  ],
};

/** The series of October 2021. */
export const SERIES = "mm-reclaimcongest-v5r4";

/**
 * The first three patches of that series: reclaimers wait for writeback, for isolated pages and for
 * progress.
 */
export const FIRST_PARTS = ["throttle-writeback", "throttle-isolated", "throttle-noprogress"];

/**
 * The changes to a ready-made experiment.
 * @param {string} kernel
 * @param {readonly string[]} patches
 * @returns {[string[], unknown][]}
 */
const stormChanges = (kernel, patches) => [
  [["id"], "storm"],
  [["title"], "A storm in 8 MiB"],
  [["machine"], MACHINE],
  [["kernel"], kernel],
  [["patches"], patches],
  [["workload"], WORKLOAD],
  [["tunables"], { "vm.min_free_kbytes": "160", "vm.dirty_ratio": "90" }],
  [["length"], "2s"],
];

/**
 * The address of a storm.
 * @param {string} kernel
 * @param {readonly string[]} patches
 */
export const stormAddress = (kernel, patches = []) => addressOf(stormChanges(kernel, patches));

/** The address of a storm on two nodes. @param {string} kernel */
export const stormOfTwo = (kernel) =>
  addressOf([...stormChanges(kernel, []), [["machine"], TWO_NODES]]);

/** @param {[string[], unknown][]} changes */
function addressOf(changes) {
  const document = { v: 4, preset: "first-touch.teach", changes };
  const packed = Buffer.from(deflateSync(strToU8(JSON.stringify(document)))).toString("base64url");
  return `#/workbench?x=${packed}`;
}
