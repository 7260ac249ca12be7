// Processes of threads on a machine of four nodes: their memory is first allocated on node 0, and
// numa/core moves memory and threads to the same nodes.

import { deflateSync, strToU8 } from "fflate";

/** numa/core scans no region smaller than a huge page. */
const [NODES, CPUS, PAGES] = [4, 2, 4096];

const MACHINE = {
  id: "herd",
  title: "",
  arch: "x86_64",
  page_size_kib: 4,
  nodes: Array.from({ length: NODES }, (_, node) => ({
    ranges: [{ start_pfn: 1048576 + PAGES * node, pages: PAGES }],
    cpus: CPUS,
    reserved: { Normal: 64 },
  })),
  distances: Array.from({ length: NODES }, (_, a) =>
    Array.from({ length: NODES }, (_, b) => (a === b ? 10 : 20)),
  ),
  hz: 1000,
  thp: "never",
  costs: "s2011",
  pcp: true,
  zonelist_order: "default",
};

const WORK = [
  { op: "touch", region: "x", order: "random", pages: 64 },
  { op: "compute", time: "1ms" },
];

const WORKLOAD = {
  id: "herd",
  title: "Four processes of two threads",
  about:
    "The threads of each process touch pages of all of its memory, which was filled on node 0.",
  processes: [
    {
      name: "herd",
      count: 4,
      program: [
        { op: "affinity", node: 0 },
        { op: "map", region: "x", size: "2 MiB" },
        { op: "touch", region: "x" },
        { op: "affinity" },
        { op: "threads", process: "thread", count: 2 },
        { op: "join" },
      ],
    },
    {
      name: "thread",
      count: 0,
      program: [{ op: "repeat", times: 1000000, do: WORK }],
    },
  ],
};

/**
 * The address of the run, with a breakpoint at the decisions of this name.
 * @param {Record<string, true>} view the parts of the view that are shown
 * @param {string} stop
 */
export function herdAddress(view = { processes: true }, stop = "NumaFlips") {
  const changes = [
    [["id"], "herd"],
    [["title"], WORKLOAD.title],
    [["machine"], MACHINE],
    [["kernel"], "numacore-18"],
    [["workload"], WORKLOAD],
    [["length"], "2s"],
  ];
  const breakpoints = [{ watch: { kind: "event", name: stop } }];
  const document = { v: 4, preset: "first-touch.teach", changes, breakpoints, view };
  const packed = Buffer.from(deflateSync(strToU8(JSON.stringify(document)))).toString("base64url");
  return `#/workbench?x=${packed}`;
}
