// Texts about decisions on where a task should run, with the numbers compared.

import type { LogEntry, View } from "../engine/types";
import { taskNameIn } from "./cpu-words";

/** Short predicates for a decision, whose subject is the task; names in braces are its fields. */
export const PLACING: Readonly<Record<string, string>> = {
  NumaMove: "moves to CPU {cpu} of node {node}",
  NumaSwap: "swaps with {other}: together they gain {gain} of 1,000 faults",
  NumaMoveByLoad: "moves to CPU {cpu} of node {node} and gains {gain} of 1,000 faults",
  NumaTooUneven:
    "does not move to CPU {cpu}: loads of {there} there and {here} here would be too uneven",
  AutoNotReady: "has no faults to compare yet",
  AutoPending: "is about to leave CPU {cpu}",
  AutoHome:
    "stays: node {node} has the most memory of the task ({weight} of 1,000) and of its process ({process})",
  AutoNobody: "stays: no task on another node can swap with it",
  AutoStay:
    "stays: of 1,000 faults it has {here} here and {there} on the node of {other}, which has {theirs} there",
  AutoExchange: "swaps with {other}: of 1,000 faults it has {there} there and {here} here",
  BalancePlaced: "does not move to CPU {cpu}: AutoNUMA placed it on node {node}",
  WokenPlaced: "wakes on node {node}, where AutoNUMA placed it",
  NumaStick: "stays: neither its preferred node {preferred} nor any other node has a CPU for it",
  NumaProposed: "does not move yet: CPU {cpu} was not proposed last time",
  NumaGoes: "will move to CPU {cpu} of node {node}",
  NumaFlips: "flips with {other}, which runs on CPU {cpu} of node {node}",
  NumaCannotGo: "cannot move to CPU {cpu} now",
  SpreadNotSmallest:
    "does not spread: its group has {ours} here, and the smallest group has {smallest}",
  SpreadNoIdle: "does not spread: no CPU is idle",
  SpreadNoGain: "does not spread: the loads {here} here and {there} there would not get closer",
  SpreadGo: "spreads to node {node}: the load is {here} here and {there} there",
  SpreadNoRoom: "does not spread: node {node} has load {load}, and its capacity is {capacity}",
  CompressFull: "does not compress: its group fills every node",
  CompressHere:
    "does not compress: of the nodes its group does not fill, its own has the most of its tasks ({ours})",
  CompressNowhere: "does not compress: its group is only on full nodes",
  CompressTooLarge:
    "does not compress: node {node} has {ours} of its group and {smallest} of the smallest group",
  CompressGo:
    "compresses to node {node}, which has {ours} of its group and {smallest} of the smallest group",
  OverloadNone: "stays: the load of its node ({load}) does not exceed the limit ({limit})",
  OverloadNowhere: "stays: its node is overloaded, but no other node has a CPU to spare",
  OverloadGo: "moves to node {node}: the load here ({load}) exceeds the limit ({limit})",
  IntranodeStay: "keeps its CPU: its load is {ours}, and the lowest of the node is {least}",
  IntranodeGo: "moves to CPU {cpu} of its node: the load is {ours} here and {least} there",
  PrivateInside: "stays: the load here is {here}, and the lowest of all nodes is {there}",
  PrivateNoRoom: "stays: node {node} has no room for it",
  PrivateGo: "moves to node {node}: the load is {here} here and {there} there",
  BuddiesStay: "stays: no node with a CPU for it has more buddies than its own ({here})",
  BuddiesGo: "moves to its buddies: node {node} has {buddies}, and its own node has {here}",
  IdleStay:
    "stays: no node with a CPU for it has at least two more idle CPUs than its own ({here})",
  IdleGo: "moves to idle CPUs: node {node} has {idle}, and its own node has {here}",
  BalanceShared:
    "does not move to CPU {cpu}: tasks that share memory run on its node (tasks: {shared}, CPUs: {cpus})",
  BalanceConverged:
    "does not move to CPU {cpu}: it has converged on node {node} ({strength} of 1,024)",
  BalanceBuddy:
    "does not move to CPU {cpu}: its buddy is {buddy}, and its ideal CPU is {ideal}, on another node",
  WokenConverged:
    "wakes on the CPU it ran on: it has converged on node {node} ({strength} of 1,024)",
};

/** The decisions of one step in a few words: the task, then each decision with its numbers. */
export function placingWords({ placing, tasks }: Pick<View, "placing" | "tasks">): string {
  let about: number | null = null;
  return placing
    .flatMap((decision) => {
      const words = wordsOf(decision);
      if (words === null) return [];
      const task = decision.fields.find(({ name }) => name === "task")?.value;
      const isOther = typeof task === "number" && task !== about;
      if (isOther) about = task;
      return isOther ? `${taskNameIn({ tasks }, task)} ${words}` : words;
    })
    .join("; ");
}

function wordsOf({ name, fields }: LogEntry): string | null {
  const words = PLACING[name];
  if (words === undefined) return null;
  const textOf = (fieldName: string) =>
    fields.find((field) => field.name === fieldName)?.text ?? "?";
  return words.replace(/\{(\w+)\}/g, (_, fieldName: string) => textOf(fieldName));
}
