// Texts that readers bring are read in an instance of its own of the engine's module, in a worker of
// its own: whatever they do to it, the machine that runs is not touched. One that broke is thrown
// away; the next text is read in a fresh one.

import type * as engine from "./pkg/mmscope";
import { type Reading, readingOf } from "./reading";

/** What is done with texts alone; see the engine's `texts.rs`. */
export type TextCalls = Pick<typeof engine, "read_experiment" | "import_zoneinfo" | "print_ftrace">;

/** A text to be read: the arguments of one of {@link TextCalls}. */
export interface ReaderRequest {
  readonly id: number;
  readonly call: keyof TextCalls;
  readonly texts: readonly string[];
}

/** What it came to; when it broke, why. */
export type ReaderEvent =
  | { readonly id: number; readonly text: string }
  | { readonly id: number; readonly broke: string };

/** A worker, or what a test hands in for one. */
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

/** Reads texts, each in the order they came. */
export class Reader {
  readonly #start: () => ReaderPort;
  readonly #asked = new Map<number, Asked>();
  #port: ReaderPort | null = null;
  #next = 0;

  constructor(start: () => ReaderPort) {
    this.#start = start;
  }

  /** Starts before it is wanted. */
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

  /** Does one of {@link TextCalls}; fails when the instance breaks, or refuses. */
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

/** Does what was asked with an instance of the module. */
export function answerReader(
  calls: TextCalls,
  { id, call, texts: [text = "", second = ""] }: ReaderRequest,
): ReaderEvent {
  try {
    if (call === "read_experiment") return { id, text: calls.read_experiment(text) };
    return { id, text: calls[call](text, second) };
  } catch (error) {
    return { id, broke: error instanceof Error ? error.message : String(error) };
  }
}
