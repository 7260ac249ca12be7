// Texts about decisions on where a task should run, with the numbers compared.

import type { LogEntry, View } from "../engine/types";
import { taskNameIn } from "./cpu-words";

/** Short words for a decision; names in braces are its fields. */
export const PLACING: Readonly<Record<string, string>> = {
  NumaMove: "moves to CPU {cpu} of node {node}",
  NumaSwap: "swaps with {other}: gains {gain} of 1,000 faults",
  NumaMoveByLoad: "moves to CPU {cpu} of node {node}: gains {gain} of 1,000 faults",
  NumaTooUneven: "not moved to CPU {cpu}: loads {there} there and {here} here would be too uneven",
  AutoNotReady: "no faults to compare yet",
  AutoPending: "is about to leave CPU {cpu}",
  AutoHome: "stays: {weight} of 1,000 faults on node {node}, {process} of its process",
  AutoNobody: "stays: no task to swap with",
  AutoStay:
    "stays: {there} of 1,000 faults on the node of {other}, {here} here; {other} has {theirs} there",
  AutoExchange: "swaps with {other}: {there} of 1,000 faults there, {here} here",
  BalancePlaced: "balancer may not move it to CPU {cpu}: placed on node {node}",
  WokenPlaced: "wakes on the node it was placed on, {node}",
  NumaStick: "stays: no CPU on node {preferred} or elsewhere",
  NumaProposed: "not yet: CPU {cpu} was not proposed last time",
  NumaGoes: "goes to CPU {cpu} of node {node}",
  NumaFlips: "flips with {other}, on CPU {cpu} of node {node}",
  NumaCannotGo: "cannot move to CPU {cpu} now",
  SpreadNotSmallest: "spread: no, {ours} of its group here, {smallest} in the smallest",
  SpreadNoIdle: "spread: no, no idle CPU",
  SpreadNoGain: "spread: no, loads {here} here and {there} there get no closer",
  SpreadGo: "spread: to node {node}, loads {here} here, {there} there",
  SpreadNoRoom: "spread: no, node {node} is full: load {load} of {capacity}",
  CompressFull: "compress: no, its group fills every node",
  CompressHere: "compress: no, most of its group is here: {ours}",
  CompressNowhere: "compress: no, its group is on full nodes only",
  CompressTooLarge: "compress: no, {ours} of its group on node {node}, {smallest} in the smallest",
  CompressGo: "compress: to node {node}, {ours} of its group there, {smallest} in the smallest",
  OverloadNone: "overload: none, load {load}, limit {limit}",
  OverloadNowhere: "overload: no other node has a CPU to spare",
  OverloadGo: "overload: to node {node}, load {load} here, limit {limit}",
  IntranodeStay: "same node: stays, load {ours} here, least {least}",
  IntranodeGo: "same node: to CPU {cpu}, load {ours} here, {least} there",
  PrivateInside: "private: stays, load {here} here, least {there}",
  PrivateNoRoom: "private: no, node {node} has no room",
  PrivateGo: "private: to node {node}, load {here} here, {there} there",
  BuddiesStay: "buddies: stays, most are here: {here}",
  BuddiesGo: "buddies: to node {node}, {buddies} there, {here} here",
  IdleStay: "idle CPUs: stays, {here} idle here",
  IdleGo: "idle CPUs: to node {node}, {idle} idle there, {here} here",
  BalanceShared: "balancer may not move it: tasks that share memory {shared}, CPUs {cpus}",
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
