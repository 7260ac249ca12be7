// The page's side of the measuring worker: sends requests, reports progress, cancels.

import type { RunComparison } from "./first-divergence";
import type { Measure, Measured } from "./measure";
import { withModule } from "./module";
import type { Shrinking, Shrunk } from "./shrink";
import type { Position } from "./types";
import { WorkerCalls, type WorkerPort } from "./worker-calls";

/** Messages from the page. */
export type MeasureRequest =
  | { readonly kind: "measure"; readonly id: number; readonly measure: Measure }
  | {
      readonly kind: "compare";
      readonly id: number;
      readonly experiments: readonly [string, string];
    }
  | {
      readonly kind: "shrink";
      readonly id: number;
      readonly experiment: string;
      readonly statement: string;
    }
  | { readonly kind: "cancel"; readonly id: number };

/** Messages from the worker. */
export type MeasureEvent =
  | {
      readonly kind: "ready";
      readonly version: string;
      /** Ready-made experiments by id, as canonical JSON. */
      readonly presets: Readonly<Record<string, string>>;
    }
  | {
      readonly kind: "measuring";
      readonly id: number;
      readonly position: Position;
      /** The requested counters, a few times a second. */
      readonly counters?: readonly number[] | undefined;
    }
  | { readonly kind: "measured"; readonly id: number; readonly measured: Measured }
  /** How far two runs are equal; the last event of a request if its kind is not `alike`. */
  | { readonly kind: "compared"; readonly id: number; readonly comparison: RunComparison }
  /** The progress of a search for a small experiment, and its end. */
  | { readonly kind: "shrinking"; readonly id: number; readonly shrinking: Shrinking }
  | { readonly kind: "shrunk"; readonly id: number; readonly shrunk: Shrunk }
  /** The measurement was cancelled; the run was stored if this was requested and space was left. */
  | { readonly kind: "stopped"; readonly id: number }
  /** The engine did not start, or broke. */
  | { readonly kind: "failed"; readonly message: string };

/** A worker; a test passes its own. */
export type MeasurePort = WorkerPort<MeasureRequest, MeasureEvent>;

/** The functions needed to write links. */
export type MeasureEngine = Pick<Extract<MeasureEvent, { kind: "ready" }>, "version" | "presets">;

/** Receives the position of a run and, from time to time, the requested counters. */
export type Progress = (position: Position, counters: readonly number[] | undefined) => void;

/** Starts a worker with an engine that measures. */
export const startMeasure = (): MeasurePort =>
  withModule(
    new Worker(new URL("./worker/measure.worker.ts", import.meta.url), { type: "module" }),
  );

/** Measures runs one after the other. The worker starts with the first question. */
export class MeasureClient {
  readonly #calls: WorkerCalls<MeasureRequest, MeasureEvent>;
  readonly #ready: Promise<MeasureEngine>;
  readonly #starting = new Set<(error: Error) => void>();
  #isReady: (engine: MeasureEngine) => void = () => {};

  constructor(start: () => MeasurePort = startMeasure) {
    this.#calls = new WorkerCalls({
      start,
      hear: (event) => this.#hear(event),
      broke: (message) => this.#fail(message),
    });
    this.#ready = new Promise((resolve) => {
      this.#isReady = resolve;
    });
  }

  /** The engine that measures; resolves after the first question has started it. */
  get engine(): Promise<MeasureEngine> {
    return this.#ready;
  }

  /** Starts the engine before the first question; rejects if it does not start. */
  start(): Promise<MeasureEngine> {
    this.#calls.connect();
    return new Promise((resolve, reject) => {
      this.#starting.add(reject);
      void this.#ready.then((engine) => {
        this.#starting.delete(reject);
        resolve(engine);
      });
    });
  }

  /**
   * Measures. Rejects when the engine fails, and when `signal` cancels it. If the run is to be
   * kept, the rejection waits until the run is stored.
   */
  measure(
    asked: Measure,
    { signal, progress }: { signal?: AbortSignal; progress?: Progress } = {},
  ): Promise<Measured> {
    return this.#ask(
      (id) => ({ kind: "measure", id, measure: asked }),
      (event) => {
        if (event.kind === "measured") return event.measured;
        if (event.kind === "measuring") progress?.(event.position, event.counters);
        return undefined;
      },
      signal,
      asked.keep !== undefined,
    );
  }

  /**
   * Runs two experiments side by side until they differ or end. Rejects as `measure` does.
   */
  compareRuns(
    experiments: readonly [string, string],
    {
      signal,
      progress,
    }: { signal?: AbortSignal; progress?: (comparison: RunComparison) => void } = {},
  ): Promise<RunComparison> {
    return this.#ask(
      (id) => ({ kind: "compare", id, experiments }),
      (event) => {
        if (event.kind !== "compared") return undefined;
        if (event.comparison.outcome !== "equal") return event.comparison;
        progress?.(event.comparison);
        return undefined;
      },
      signal,
    );
  }

  /**
   * Searches for the smallest experiment for which a statement holds; see the engine's `Shrink`.
   * Rejects as `measure` does. The last progress has the best experiment so far.
   */
  shrink(
    { experiment, statement }: { readonly experiment: string; readonly statement: string },
    { signal, progress }: { signal?: AbortSignal; progress?: (shrinking: Shrinking) => void } = {},
  ): Promise<Shrunk> {
    return this.#ask(
      (id) => ({ kind: "shrink", id, experiment, statement }),
      (event) => {
        if (event.kind === "shrunk") return event.shrunk;
        if (event.kind === "shrinking") progress?.(event.shrinking);
        return undefined;
      },
      signal,
    );
  }

  /** Ends the worker. */
  dispose(): void {
    this.#calls.end();
  }

  /**
   * Sends a request; `answerOf` picks the answer from its events. A cancelled request rejects at
   * once, or once its run is stored.
   */
  #ask<T>(
    request: (id: number) => MeasureRequest,
    answerOf: (event: MeasureEvent) => T | undefined,
    signal: AbortSignal | undefined,
    isPutAway = false,
  ): Promise<T> {
    const { id, answer } = this.#calls.call(request, answerOf);
    signal?.addEventListener("abort", () => {
      this.#calls.notify({ kind: "cancel", id });
      if (!isPutAway) this.#stopped(id);
    });
    return answer;
  }

  #hear(event: MeasureEvent) {
    switch (event.kind) {
      case "ready":
        return this.#isReady(event);
      case "measuring":
      case "measured":
      case "compared":
      case "shrinking":
      case "shrunk":
        return this.#calls.answer(event.id, event);
      case "stopped":
        return this.#stopped(event.id);
      case "failed":
        return this.#fail(event.message);
    }
  }

  #stopped(id: number) {
    this.#calls.reject(id, new DOMException("broken off", "AbortError"));
  }

  #fail(message: string) {
    for (const reject of this.#starting) reject(new Error(message));
    this.#starting.clear();
    this.#calls.fail(message);
  }
}
