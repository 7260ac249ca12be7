// Reads texts from users in a separate instance of the engine's module, in a worker of its own.
// Whatever a text does to that instance, it does not affect the running machine. A broken instance
// is discarded, and the next text is read in a new one.

import type * as engine from "./pkg/mmscope";
import { type Reading, readingOf } from "./reading";
import { WorkerCalls, type WorkerPort } from "./worker-calls";

/** The engine's functions that work on texts alone; see the engine's `texts.rs`. */
export type TextCalls = Pick<
  typeof engine,
  | "read_experiment"
  | "import_zoneinfo"
  | "explain_machine"
  | "print_ftrace"
  | "plan_sweep"
  | "sweep_experiment"
  | "sweep_lines"
>;

/** The arguments of one of the {@link TextCalls}. */
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
export type ReaderPort = WorkerPort<ReaderRequest, ReaderEvent>;

/** Reads texts in the order of the calls. */
export class Reader {
  readonly #calls: WorkerCalls<ReaderRequest, ReaderEvent>;

  constructor(start: () => ReaderPort) {
    this.#calls = new WorkerCalls({
      start,
      hear: (event) => {
        if ("broke" in event) this.#calls.fail(event.broke);
        else this.#calls.answer(event.id, event);
      },
      broke: (message) => this.#calls.fail(message),
    });
  }

  /** Starts the worker before it is needed. */
  prepare(): void {
    this.#calls.connect();
  }

  /** Calls one of the {@link TextCalls}; rejects if the instance breaks or rejects the text. */
  call(call: keyof TextCalls, ...texts: string[]): Promise<string> {
    const { answer } = this.#calls.call(
      (id) => ({ id, call, texts }),
      (event) => ("text" in event ? event.text : undefined),
    );
    return answer;
  }

  /** Ends the worker. The next call starts another one. */
  dispose(): void {
    this.#calls.end();
  }

  /** Reads an experiment. */
  read = async (json: string): Promise<Reading> =>
    readingOf(await this.call("read_experiment", json));
}

/** Calls the requested function of an instance of the module. */
export function answerReader(
  calls: TextCalls,
  { id, call, texts: [text = "", second = ""] }: ReaderRequest,
): ReaderEvent {
  try {
    if (call === "read_experiment") return { id, text: calls.read_experiment(text) };
    if (call === "plan_sweep") return { id, text: calls.plan_sweep(text) };
    if (call === "explain_machine") return { id, text: calls.explain_machine(text) };
    return { id, text: calls[call](text, second) };
  } catch (error) {
    return { id, broke: error instanceof Error ? error.message : String(error) };
  }
}
