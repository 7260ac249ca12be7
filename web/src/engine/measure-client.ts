// The page's side of the measuring worker: asks, reports progress, cancels.

import type { Measure, Measured } from "./measure";
import { withModule } from "./module";
import type { Parting } from "./part";
import type { Position } from "./types";

/** Messages from the page. */
export type MeasureRequest =
  | { readonly kind: "measure"; readonly id: number; readonly measure: Measure }
  | { readonly kind: "part"; readonly id: number; readonly experiments: readonly [string, string] }
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
  /** How far two runs are alike; the last event of its request if its kind is not `alike`. */
  | { readonly kind: "parting"; readonly id: number; readonly parting: Parting }
  /** The measurement was cancelled; its run was stored if that was requested and space was left. */
  | { readonly kind: "stopped"; readonly id: number }
  /** The engine did not start, or broke. */
  | { readonly kind: "failed"; readonly message: string };

/** A worker; a test passes its own. */
export interface MeasurePort {
  postMessage(request: MeasureRequest): void;
  onmessage: ((message: MessageEvent<MeasureEvent>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  terminate(): void;
}

/** What writing links needs. */
export type MeasureEngine = Pick<Extract<MeasureEvent, { kind: "ready" }>, "version" | "presets">;

interface Pending {
  /** Handles one event; returns true when the request is finished. */
  readonly hear: (event: MeasureEvent) => boolean;
  readonly reject: (error: Error) => void;
}

/** Receives the position of a run and, from time to time, the requested counters. */
export type Progress = (position: Position, counters: readonly number[] | undefined) => void;

/** Starts a worker with an engine that measures. */
export const startMeasure = (): MeasurePort =>
  withModule(
    new Worker(new URL("./worker/measure.worker.ts", import.meta.url), { type: "module" }),
  );

/** Measures runs one after the other. The worker starts with the first question. */
export class MeasureClient {
  readonly #start: () => MeasurePort;
  readonly #pending = new Map<number, Pending>();
  readonly #ready: Promise<MeasureEngine>;
  readonly #starting = new Set<(error: Error) => void>();
  #isReady: (engine: MeasureEngine) => void = () => {};
  #port: MeasurePort | null = null;
  #next = 0;

  constructor(start: () => MeasurePort = startMeasure) {
    this.#start = start;
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
    this.#connect();
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
  part(
    experiments: readonly [string, string],
    { signal, progress }: { signal?: AbortSignal; progress?: (parting: Parting) => void } = {},
  ): Promise<Parting> {
    return this.#ask(
      (id) => ({ kind: "part", id, experiments }),
      (event) => {
        if (event.kind !== "parting") return undefined;
        if (event.parting.stand !== "alike") return event.parting;
        progress?.(event.parting);
        return undefined;
      },
      signal,
    );
  }

  /** Ends the worker. */
  dispose(): void {
    this.#pending.clear();
    this.#port?.terminate();
    this.#port = null;
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
    const port = this.#connect();
    const id = this.#next;
    this.#next += 1;
    return new Promise((resolve, reject) => {
      const hear = (event: MeasureEvent) => {
        const answer = answerOf(event);
        if (answer === undefined) return false;
        resolve(answer);
        return true;
      };
      this.#pending.set(id, { hear, reject });
      signal?.addEventListener("abort", () => {
        port.postMessage({ kind: "cancel", id });
        if (!isPutAway) this.#stopped(id);
      });
      port.postMessage(request(id));
    });
  }

  #connect(): MeasurePort {
    if (this.#port) return this.#port;
    const port = this.#start();
    port.onmessage = ({ data }) => this.#hear(data);
    port.onerror = (event) => this.#fail(event.message || "the worker did not start");
    this.#port = port;
    return port;
  }

  #hear(event: MeasureEvent) {
    switch (event.kind) {
      case "ready":
        return this.#isReady(event);
      case "measuring":
      case "measured":
      case "parting":
        if (this.#pending.get(event.id)?.hear(event)) this.#pending.delete(event.id);
        return;
      case "stopped":
        return this.#stopped(event.id);
      case "failed":
        return this.#fail(event.message);
    }
  }

  #stopped(id: number) {
    this.#pending.get(id)?.reject(new DOMException("broken off", "AbortError"));
    this.#pending.delete(id);
  }

  #fail(message: string) {
    for (const reject of this.#starting) reject(new Error(message));
    this.#starting.clear();
    for (const { reject } of this.#pending.values()) reject(new Error(message));
    this.#pending.clear();
    this.#port?.terminate();
    this.#port = null;
  }
}
