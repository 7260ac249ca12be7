// Computes the result of a run, and repeats the run of a link to compare it with the result that
// the link carries. This happens in a measuring worker, so that the workbench stays usable.

import { createStore, type StoreApi } from "zustand/vanilla";
import { engineBuild } from "../engine/build";
import type { Measure, Measured } from "../engine/measure";
import { MeasureClient } from "../engine/measure-client";
import type { Position } from "../engine/types";
import type { LinkResult } from "../link/schema";

/** A figure of a run: a counter of /proc/vmstat or a metric of a report, and its value. */
export type Figure = readonly [name: string, value: number];

/** The result of a run as this engine computes it, with all figures. */
export interface RunResult extends Omit<LinkResult, "figures"> {
  readonly figures: readonly Figure[];
}

/** A part of a result that this engine computes differently. */
export interface Difference {
  /** A field of the result, or the name of a figure. */
  readonly name: string;
  readonly kind: "field" | "figure";
  /** The value in the link. */
  readonly theirs: string | number;
  /** The value of the repeated run; null if it has no such figure. */
  readonly ours: string | number | null;
}

/** What is known of the result that a link carries. */
export type Check =
  | { readonly kind: "unchecked" }
  | { readonly kind: "running"; readonly position: Position | null }
  | {
      readonly kind: "checked";
      readonly differences: readonly Difference[];
      /** The engine that repeated the run: its version and build. */
      readonly engine: string;
      readonly build: string;
      readonly ours: RunResult;
    }
  | { readonly kind: "cancelled" }
  | { readonly kind: "failed"; readonly message: string };

/** Compares the result of a link with that of the repeated run; empty if it is reproduced. */
export function differencesOf(theirs: LinkResult, ours: RunResult): readonly Difference[] {
  const fields = (["hash", "step", "time_ns", "ended"] as const)
    .filter((name) => theirs[name] !== ours[name])
    .map((name) => ({
      name,
      kind: "field" as const,
      theirs: plain(theirs[name]),
      ours: plain(ours[name]),
    }));
  const values = new Map(ours.figures);
  const figures = theirs.figures
    .filter(([name, value]) => values.get(name) !== value)
    .map(([name, value]) => ({
      name,
      kind: "figure" as const,
      theirs: value,
      ours: values.get(name) ?? null,
    }));
  return [...fields, ...figures];
}

const plain = (value: string | number | boolean): string | number =>
  typeof value === "boolean" ? String(value) : value;

/** Up to where a run is repeated: its end, or a step. */
export type Until = { readonly ended: true } | { readonly ended: false; readonly step: number };

/** Computes results one after the other; a newer request cancels the previous one. */
export class Reproduction {
  readonly store: StoreApi<Check> = createStore<Check>(() => ({ kind: "unchecked" }));
  readonly #start: () => MeasureClient;
  /** The workers that compute now. Each ends with its result, because it holds a whole machine. */
  readonly #clients = new Set<MeasureClient>();
  #abort: AbortController | null = null;

  constructor(start: () => MeasureClient = () => new MeasureClient()) {
    this.#start = start;
  }

  /** Repeats a run and compares it with a result. */
  async check(experiment: string, theirs: LinkResult): Promise<void> {
    this.#abort?.abort();
    const abort = new AbortController();
    this.#abort = abort;
    this.store.setState({ kind: "running", position: null }, true);
    const isCurrent = () => this.#abort === abort;
    try {
      const ours = await this.compute(experiment, theirs, {
        signal: abort.signal,
        progress: (position) => {
          if (isCurrent()) this.store.setState({ kind: "running", position }, true);
        },
      });
      if (!isCurrent()) return;
      const { engine, build = "" } = ours;
      const differences = differencesOf(theirs, ours);
      this.store.setState({ kind: "checked", differences, engine, build, ours }, true);
    } catch (error) {
      if (!isCurrent()) return;
      const message = error instanceof Error ? error.message : String(error);
      this.store.setState({ kind: "failed", message }, true);
    }
  }

  /** Computes the result of a run at its end or at a step. Rejects if `signal` cancels it. */
  async compute(
    experiment: string,
    until: Until,
    more: { signal?: AbortSignal; progress?: (position: Position) => void } = {},
  ): Promise<RunResult> {
    const moment: Measure["moments"][number] = until.ended
      ? { kind: "end" }
      : { kind: "step", step: until.step };
    const client = this.#start();
    this.#clients.add(client);
    try {
      const measured = await client.measure(
        { experiment, moments: [moment], rows: true },
        {
          ...(more.signal && { signal: more.signal }),
          ...(more.progress && { progress: more.progress }),
        },
      );
      const { version } = await client.engine;
      return resultOf(measured, version);
    } finally {
      client.dispose();
      this.#clients.delete(client);
    }
  }

  /** Stops repeating the run. */
  cancel() {
    if (this.store.getState().kind !== "running") return;
    this.#abort?.abort();
    this.#abort = null;
    this.store.setState({ kind: "cancelled" }, true);
  }

  /** Forgets the last comparison: another experiment is open, or the link carries another result. */
  reset() {
    this.#abort?.abort();
    this.#abort = null;
    this.store.setState({ kind: "unchecked" }, true);
  }

  /** Ends all workers. */
  dispose() {
    this.reset();
    for (const client of this.#clients) client.dispose();
    this.#clients.clear();
  }
}

function resultOf(measured: Measured, engine: string): RunResult {
  if (measured.kind === "refused") {
    const words = measured.refusals.map(({ path, reason }) => `${path}: ${reason}`);
    throw new Error(words.join(" "));
  }
  const [snapshot] = measured.snapshots;
  if (!snapshot) throw new Error("The run does not reach this moment.");
  const { step, time_ns, ended } = snapshot.view.position;
  const rows = measured.report?.rows ?? [];
  return {
    step,
    time_ns,
    hash: snapshot.hash,
    engine,
    build: engineBuild,
    ended,
    figures: [
      ...snapshot.view.counters.map(([name, value]): Figure => [name, value]),
      ...rows.flatMap(({ metric, value }): Figure[] => (value === null ? [] : [[metric, value]])),
    ],
  };
}
