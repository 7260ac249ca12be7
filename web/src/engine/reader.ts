// Reads texts from users in a separate instance of the engine's module, in a worker of its own.
// Whatever a text does to that instance, the running machine is not touched. A broken instance is
// discarded, and the next text is read in a new one.

import type * as engine from "./pkg/mmscope";
import { type Reading, readingOf } from "./reading";

/** The engine's functions that work on texts alone; see the engine's `texts.rs`. */
export type TextCalls = Pick<
  typeof engine,
  "read_experiment" | "import_zoneinfo" | "explain_machine" | "print_ftrace"
>;

/** A text to be read: the arguments of one of {@link TextCalls}. */
export interface ReaderRequest {
  readonly id: number;
  readonly call: keyof TextCalls;
  readonly texts: readonly string[];
}

/** The result, or the reason why the instance broke. */
export type ReaderEvent =
  | { readonly id: number; readonly text: string }
  | { readonly id: number; readonly broke: string };

/** A worker; a test passes its own. */
export interface ReaderPort {
  postMessage(request: ReaderRequest): void;
  onmessage: ((message: MessageEvent<ReaderEvent>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  terminate(): void;
}

interface Asked {
  readonly resolve: (text: string) => void;
  readonly reject: (error: Error) => void;
}

/** Reads texts in the order of the calls. */
export class Reader {
  readonly #start: () => ReaderPort;
  readonly #asked = new Map<number, Asked>();
  #port: ReaderPort | null = null;
  #next = 0;

  constructor(start: () => ReaderPort) {
    this.#start = start;
  }

  /** Starts the worker before it is needed. */
  prepare(): ReaderPort {
    if (this.#port) return this.#port;
    const port = this.#start();
    port.onmessage = ({ data }) => {
      if ("broke" in data) return this.#broke(data.broke);
      this.#asked.get(data.id)?.resolve(data.text);
      this.#asked.delete(data.id);
    };
    port.onerror = (event) => this.#broke(event.message || "the worker did not start");
    this.#port = port;
    return port;
  }

  /** Calls one of {@link TextCalls}; rejects when the instance breaks or refuses. */
  call(call: keyof TextCalls, ...texts: string[]): Promise<string> {
    const port = this.prepare();
    const id = this.#next;
    this.#next += 1;
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { resolve, reject });
      port.postMessage({ id, call, texts });
    });
  }

  /** Reads an experiment. */
  read = async (json: string): Promise<Reading> =>
    readingOf(await this.call("read_experiment", json));

  #broke(reason: string) {
    this.#port?.terminate();
    this.#port = null;
    for (const { reject } of this.#asked.values()) reject(new Error(reason));
    this.#asked.clear();
  }
}

/** Calls the requested function of an instance of the module. */
export function answerReader(
  calls: TextCalls,
  { id, call, texts: [text = "", second = ""] }: ReaderRequest,
): ReaderEvent {
  try {
    if (call === "read_experiment") return { id, text: calls.read_experiment(text) };
    if (call === "explain_machine") return { id, text: calls.explain_machine(text) };
    return { id, text: calls[call](text, second) };
  } catch (error) {
    return { id, broke: error instanceof Error ? error.message : String(error) };
  }
}
