// The page's side: one worker for each opened machine.

import type { LogAnswer } from "../log";
import type { AskLog } from "../log-turns";
import { withModule } from "../module";
import type { MomentValues } from "./moments";
import type { Machine, OpenedFile, ReadProgress } from "./open";
import type { CaptureAnswer, CaptureEvent, CaptureQuestion, CaptureRequest } from "./protocol";

/** The parts of a worker that are used; a test passes its own. */
export interface CapturePort {
  postMessage(request: CaptureRequest): void;
  onmessage: ((message: MessageEvent<CaptureEvent>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  terminate(): void;
}

const startWorker = (): CapturePort =>
  withModule(
    new Worker(new URL("../worker/capture.worker.ts", import.meta.url), { type: "module" }),
  );

interface Asked {
  readonly resolve: (answer: CaptureAnswer) => void;
  readonly reject: (error: Error) => void;
}

interface Opening {
  readonly resolve: (machine: Machine) => void;
  readonly reject: (error: Error) => void;
}

/** A machine in a worker of its own. */
export class CaptureClient {
  readonly #port: CapturePort;
  readonly #asked = new Map<number, Asked>();
  readonly #opening: Opening[] = [];
  #next = 0;

  private constructor(port: CapturePort, tell: (progress: ReadProgress) => void) {
    this.#port = port;
    port.onmessage = ({ data }) => this.#hear(data, tell);
    port.onerror = (event) => this.#broke(event.message || "the worker did not start");
  }

  /** Reads files. Aborting ends the worker. */
  static async open(
    files: readonly OpenedFile[],
    tell: (progress: ReadProgress) => void,
    signal: AbortSignal,
    start: () => CapturePort = startWorker,
  ): Promise<{ readonly client: CaptureClient; readonly machine: Machine }> {
    const client = new CaptureClient(start(), tell);
    const stop = () => client.#broke("Reading was cancelled.");
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

  /** Shows another of the traces that were read. */
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
    this.#port.onmessage = null;
    this.#port.onerror = null;
    this.#port.terminate();
  }

  #open(request: CaptureRequest): Promise<Machine> {
    return new Promise((resolve, reject) => {
      this.#opening.push({ resolve, reject });
      this.#port.postMessage(request);
    });
  }

  #ask(question: CaptureQuestion): Promise<CaptureAnswer> {
    const id = this.#next;
    this.#next += 1;
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { resolve, reject });
      this.#port.postMessage({ kind: "ask", id, question });
    });
  }

  #hear(event: CaptureEvent, tell: (progress: ReadProgress) => void) {
    if (event.kind === "progress") return tell(event.progress);
    if (event.kind === "opened") return this.#opening.shift()?.resolve(event.machine);
    if (event.kind === "broke") return this.#broke(event.message);
    const asked = this.#asked.get(event.id);
    this.#asked.delete(event.id);
    if (event.kind === "answer") asked?.resolve(event.answer);
    else asked?.reject(new Error(event.message));
  }

  #broke(message: string) {
    this.dispose();
    const error = new Error(message);
    for (const { reject } of this.#opening.splice(0)) reject(error);
    for (const { reject } of this.#asked.values()) reject(error);
    this.#asked.clear();
  }
}
