// Texts about decisions on where a task should run, with the numbers compared.

import type { LogEntry, View } from "../engine/types";
import { taskNameIn } from "./cpu-words";

/** Short words for a decision; names in braces are its fields. */
export const PLACING: Readonly<Record<string, string>> = {
  NumaMove: "moves to CPU {cpu} of node {node}",
  NumaSwap: "swaps with {other}: gains {gain} of 1,000 faults",
  NumaMoveByLoad: "moves to CPU {cpu} of node {node}: gains {gain} of 1,000 faults",
  NumaTooUneven:
    "does not move to CPU {cpu}: loads {there} there and {here} here would be too uneven",
  AutoNotReady: "has no faults to compare yet",
  AutoPending: "is about to leave CPU {cpu}",
  AutoHome: "stays: {weight} of 1,000 faults on node {node}, {process} of its process",
  AutoNobody: "stays: no task to swap with",
  AutoStay:
    "stays: {there} of 1,000 faults on the node of {other}, {here} here; {other} has {theirs} there",
  AutoExchange: "swaps with {other}: {there} of 1,000 faults there, {here} here",
  BalancePlaced: "balancer may not move it to CPU {cpu}: placed on node {node}",
  WokenPlaced: "wakes on the node it was placed on, {node}",
  NumaStick: "stays: neither node {preferred} nor another has a CPU for it",
  NumaProposed: "does not move yet: CPU {cpu} was not proposed last time",
  NumaGoes: "goes to CPU {cpu} of node {node}",
  NumaFlips: "flips with {other}, on CPU {cpu} of node {node}",
  NumaCannotGo: "cannot move to CPU {cpu} now",
  SpreadNotSmallest:
    "does not spread: its group has {ours} here, the smallest group has {smallest}",
  SpreadNoIdle: "does not spread: no CPU is idle",
  SpreadNoGain: "does not spread: loads {here} here and {there} there would not get closer",
  SpreadGo: "spreads to node {node}: load {here} here, {there} there",
  SpreadNoRoom: "does not spread: node {node} has load {load} of at most {capacity}",
  CompressFull: "does not compress: its group fills every node",
  CompressHere: "does not compress: its node has most of its group ({ours})",
  CompressNowhere: "does not compress: its group is only on full nodes",
  CompressTooLarge:
    "does not compress: node {node} has {ours} of its group, {smallest} of the smallest",
  CompressGo:
    "compresses to node {node}, which has {ours} of its group, {smallest} of the smallest",
  OverloadNone: "stays: load {load} of its node is within the limit {limit}",
  OverloadNowhere: "stays: its node is overloaded, but no other node has a CPU to spare",
  OverloadGo: "moves to node {node}: load {load} here exceeds the limit {limit}",
  IntranodeStay: "keeps its CPU: load {ours} here, {least} at the lowest",
  IntranodeGo: "moves to CPU {cpu} of its node: load {ours} here, {least} there",
  PrivateInside: "private: stays, load {here} here, least {there}",
  PrivateNoRoom: "stays: node {node} has no room for it",
  PrivateGo: "moves to node {node}: load {here} here, {there} there",
  BuddiesStay: "stays: its node has most of its buddies ({here})",
  BuddiesGo: "moves to its buddies on node {node}: {buddies} there, {here} here",
  IdleStay: "stays: its node has enough idle CPUs ({here})",
  IdleGo: "moves to the idle CPUs of node {node}: {idle} there, {here} here",
  BalanceShared:
    "balancer may not move it: tasks that share memory on its node {shared}, CPUs {cpus}",
  BalanceConverged: "balancer may not move it: converged on node {node}, {strength} of 1,024",
  BalanceBuddy: "balancer may not move it: its buddy is {buddy}, its ideal CPU {ideal}",
  WokenConverged: "wakes on the CPU it ran on: converged on node {node}, {strength} of 1,024",
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
      return isOther ? `${taskNameIn({ tasks }, task)}: ${words}` : words;
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
