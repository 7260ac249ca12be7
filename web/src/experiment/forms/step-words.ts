// Describes a step of a program in words.

import { counted } from "../../engine/format";
import { at, isTree, type Json, type Tree } from "./tree";
import { operationOf } from "./workload-fields";

const word = (step: Tree, name: string): string => {
  const value = step[name];
  return typeof value === "string"
    ? value
    : typeof value === "number"
      ? counted(value, "page")
      : "";
};
const number = (step: Tree, name: string, usual: number): number => {
  const value = step[name];
  return typeof value === "number" ? value : usual;
};
/** Joins the words that are not empty. */
const row = (...words: (string | false)[]): string => words.filter(Boolean).join(" ");
/** "2 threads", "1 thread". */
const several = (count: number, one: string) => `${count} ${one}${count === 1 ? "" : "s"}`;
/** The numbers of a list: "0, 1"; empty if there are none. */
const listed = (step: Tree, name: string) => {
  const { [name]: value } = step;
  return Array.isArray(value) ? value.join(", ") : "";
};
const upTo = (step: Tree, all: string) => word(step, "size") || all;
const inOrder = (step: Tree) => step.order === "random" && "in random order";
const inChunks = (step: Tree) => word(step, "chunk") && `, ${word(step, "chunk")} per call`;
const transfer = (op: string, preposition: string) => (step: Tree) =>
  row(op, upTo(step, "all"), preposition, word(step, "file"), inOrder(step)) + inChunks(step);

const WORDS: { readonly [op: string]: ((step: Tree) => string) | undefined } = {
  read: transfer("read", "of"),
  write: transfer("write", "to"),
  map: (step) =>
    row(
      "map",
      word(step, "region"),
      word(step, "file") && `to file ${word(step, "file")}`,
      word(step, "size") && `, ${word(step, "size")}`,
      step.huge === true && ", huge pages",
    ).replaceAll(" ,", ","),
  touch: (step) =>
    row(
      "touch",
      word(step, "pages") || (step.slice === true ? "its slice" : "all"),
      "of",
      step.slice === true && word(step, "pages") && "its slice of",
      word(step, "region"),
      inOrder(step),
      step.write === true && "(writes)",
      step.write === false && "(reads)",
    ),
  access: (step) =>
    row(
      "access",
      word(step, "region"),
      "anywhere,",
      counted(number(step, "times", 1), "time"),
      number(step, "own", 0) > 0 && `, ${number(step, "own", 0)} % in its own slice`,
      number(step, "writes", 100) < 100 && `, ${number(step, "writes", 100)} % writes`,
    ).replaceAll(" ,", ","),
  lock: (step) => row("lock", word(step, "region"), "in memory"),
  free: (step) => row("free", word(step, "region")),
  dontneed: (step) => {
    const every = number(step, "every", 1);
    return row(
      "discard",
      every === 1 ? "all pages" : `one page in ${every}`,
      "of",
      word(step, "region"),
    );
  },
  copy: (step) =>
    row("copy", upTo(step, "all"), "of", word(step, "from"), "to", word(step, "to")) +
    inChunks(step),
  fsync: (step) => row("fsync", word(step, "file")),
  unlink: (step) => row("delete file", word(step, "file")),
  create: (step) =>
    row(
      "create",
      String(number(step, "count", 1)),
      word(step, "size") ? "" : "empty",
      number(step, "count", 1) === 1 ? "file" : "files",
      word(step, "size") && `of ${word(step, "size")}`,
    ) + inChunks(step),
  set: (step) => row("set", word(step, "name"), "to", word(step, "value")),
  stat: (step) => row("look up", word(step, "file")),
  compact_memory: () => row("compact all memory"),
  drop_caches: (step) => row("drop the caches", step.slab === true && "including names and inodes"),
  alloc: (step) =>
    row(
      "allocate",
      typeof step.count === "number" ? String(step.count) : word(step, "count"),
      `of order ${number(step, "order", 0)} into ${word(step, "pool")}`,
      word(step, "type") && `(${word(step, "type")})`,
      step.go_on === true && "even if some fail",
    ),
  release: (step) => {
    const every = number(step, "every", 1);
    return row("release", every === 1 ? "all" : `one in ${every}`, "of", word(step, "pool"));
  },
  spawn: (step) =>
    row(
      "start",
      String(number(step, "count", 1)),
      word(step, "process"),
      step.share === true && "as threads",
    ),
  threads: (step) =>
    row("start", several(number(step, "count", 1), "thread"), "of", word(step, "process")),
  barrier: () => "wait at the barrier",
  join: () => "wait for the threads",
  wait: (step) =>
    row("wait for the tasks it started", word(step, "every") && `, each ${word(step, "every")}`),
  kill: (step) => row("kill", word(step, "task")),
  mark: (step) => row("phase", word(step, "name")),
  sample: (step) =>
    row(
      "time each of",
      typeof step.times === "number" && String(step.times),
      "rounds",
      word(step, "for") && `for ${word(step, "for")}`,
      "as",
      word(step, "name"),
    ) + (word(step, "less") && `, less ${word(step, "less")}`),
  stop: () => "end the run",
  bind: (step) =>
    row(`move to node ${number(step, "node", 0)}`, step.strict === true && "and only there"),
  affinity: (step) =>
    row(
      "run on",
      typeof step.node === "number"
        ? `the CPUs of node ${step.node}`
        : listed(step, "cpus")
          ? `CPUs ${listed(step, "cpus")}`
          : "any CPU",
    ),
  mempolicy: (step) =>
    row(
      "memory policy",
      word(step, "mode") || "default",
      listed(step, "nodes") && `, nodes ${listed(step, "nodes")}`,
    ).replaceAll(" ,", ","),
  think: (step) =>
    row(
      "think for",
      word(step, "time"),
      word(step, "like") && `and as long as ${word(step, "like")} took`,
    ),
  compute: (step) => row("compute for", word(step, "time")),
  repeat: (step) =>
    row(
      "repeat",
      typeof step.times === "number" && counted(step.times, "time"),
      word(step, "for") && `for ${word(step, "for")}`,
      word(step, "every") && `every ${word(step, "every")}`,
    ),
  exit: () => "end this task",
};

/**
 * A step in words. For an operation without a description here, the result is its name and values.
 */
export function stepWords(step: Json): string {
  if (!operationOf(step) || !isTree(step)) {
    return `unknown: ${JSON.stringify(at(step, ["op"]) ?? step)}`;
  }
  const words = WORDS[String(step.op)];
  if (words) return words(step);
  const { op, ...fields } = step;
  const filled = Object.entries(fields).filter(([, value]) => typeof value !== "object");
  return [op, ...filled.map(([name, value]) => `${name} ${value}`)].join(" ");
}
