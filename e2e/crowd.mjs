// More tasks than CPUs: tasks wait for each other, and a task that wakes on a busy CPU moves to an idle one.

import { deflateSync, strToU8 } from "fflate";

/** Tasks that compute, touch memory and pause in turn. */
const WORKLOAD = {
  id: "crowd",
  title: "More tasks than CPUs",
  about: "Programs compute and pause in turn.",
  processes: [
    {
      name: "turn",
      count: 6,
      program: [
        { op: "map", region: "heap", size: "64 KiB" },
        {
          op: "repeat",
          times: 1000000,
          do: [
            { op: "touch", region: "heap", write: true },
            { op: "compute", time: "3ms" },
            { op: "think", time: "2ms" },
          ],
        },
      ],
    },
  ],
};

/** @param {number} nodes @param {number} cpus of each node */
const machine = (nodes, cpus) => ({
  id: "crowded",
  title: "",
  arch: "x86_64",
  page_size_kib: 4,
  nodes: Array.from({ length: nodes }, (_, node) => ({
    ranges: [{ start_pfn: 1048576 + 1024 * node, pages: 1024 }],
    cpus,
    reserved: { Normal: 16 },
  })),
  distances: Array.from({ length: nodes }, (_, a) =>
    Array.from({ length: nodes }, (_, b) => (a === b ? 10 : 20)),
  ),
  hz: 250,
  thp: "never",
  costs: "s2011",
  pcp: true,
  zonelist_order: "default",
});

/**
 * The address of a machine with the given nodes and CPUs, and with more tasks than CPUs.
 * @param {{ nodes: number, cpus: number, tasks: number, isOfCpus?: boolean }} of
 */
export function crowdAddress({ nodes, cpus, tasks, isOfCpus = true }) {
  const [process] = WORKLOAD.processes;
  const changes = [
    [["id"], "crowd"],
    [["title"], WORKLOAD.title],
    [["machine"], machine(nodes, cpus)],
    [["kernel"], "6.1"],
    [["workload"], { ...WORKLOAD, processes: [{ ...process, count: tasks }] }],
    [["length"], "1s"],
  ];
  const view = isOfCpus ? { cpus: true } : {};
  const document = { v: 4, preset: "first-touch.teach", changes, view };
  const packed = Buffer.from(deflateSync(strToU8(JSON.stringify(document)))).toString("base64url");
  return `#/workbench?x=${packed}`;
}
