// The page's side: one worker for each opened machine.

import type { LogAnswer } from "../log";
import type { AskLog } from "../log-turns";
import { withModule } from "../module";
import { idlePort, WorkerCalls, type WorkerPort } from "../worker-calls";
import type { MomentValues } from "./moments";
import type { Machine, OpenedFile, ReadProgress } from "./open";
import type { CaptureAnswer, CaptureEvent, CaptureQuestion, CaptureRequest } from "./protocol";

/** The worker; a test passes its own. */
export type CapturePort = WorkerPort<CaptureRequest, CaptureEvent>;

const startWorker = (): CapturePort =>
  withModule(
    new Worker(new URL("../worker/capture.worker.ts", import.meta.url), { type: "module" }),
  );

/** A machine in its own worker. */
export class CaptureClient {
  readonly #calls: WorkerCalls<CaptureRequest, CaptureEvent>;
  /** The numbers of the calls that open a machine; the worker answers them in order. */
  readonly #opening: number[] = [];

  private constructor(start: () => CapturePort, tell: (progress: ReadProgress) => void) {
    let isStarted = false;
    this.#calls = new WorkerCalls({
      // A call after the end gets no answer, because another worker would not have the machine.
      start: () => {
        const port = isStarted ? idlePort<CaptureRequest, CaptureEvent>() : start();
        isStarted = true;
        return port;
      },
      hear: (event) => this.#hear(event, tell),
      broke: (message) => this.#calls.fail(message),
    });
  }

  /** Reads files. Aborting ends the worker. */
  static async open(
    files: readonly OpenedFile[],
    tell: (progress: ReadProgress) => void,
    signal: AbortSignal,
    start: () => CapturePort = startWorker,
  ): Promise<{ readonly client: CaptureClient; readonly machine: Machine }> {
    const client = new CaptureClient(start, tell);
    const stop = () => client.#calls.fail("Reading was cancelled.");
    signal.addEventListener("abort", stop);
    try {
      return { client, machine: await client.#open({ kind: "open", files }) };
    } catch (error) {
      client.dispose();
      throw error;
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  /** Shows another trace of the files. */
  show(name: string): Promise<Machine> {
    return this.#open({ kind: "trace", name });
  }

  /** A reader of the machine's records and moments. */
  reader(): AskLog {
    return async (act) => (await this.#ask({ kind: "log", act })) as LogAnswer;
  }

  /** The values at a moment. */
  async at(place: { readonly time_ns: number } | { readonly step: number }): Promise<MomentValues> {
    const answer = await this.#ask({ kind: "at", place });
    if (answer.kind !== "at") throw new Error("the worker answered another question");
    return answer.values;
  }

  /** Ends the worker. */
  dispose(): void {
    this.#calls.end();
  }

  #open(request: CaptureRequest): Promise<Machine> {
    const { id, answer } = this.#calls.call(
      () => request,
      (event) => (event.kind === "opened" ? event.machine : undefined),
    );
    this.#opening.push(id);
    return answer;
  }

  #ask(question: CaptureQuestion): Promise<CaptureAnswer> {
    const { answer } = this.#calls.call(
      (id) => ({ kind: "ask", id, question }),
      (event) => {
        if (event.kind === "answer") return event.answer;
        if (event.kind === "failed") throw new Error(event.message);
        return undefined;
      },
    );
    return answer;
  }

  #hear(event: CaptureEvent, tell: (progress: ReadProgress) => void) {
    if (event.kind === "progress") return tell(event.progress);
    if (event.kind === "broke") return this.#calls.fail(event.message);
    const id = event.kind === "opened" ? this.#opening.shift() : event.id;
    if (id !== undefined) this.#calls.answer(id, event);
  }
}
