// The page's side of the protocol: one worker, which is restarted when its engine breaks.

import { browserLocks, whenEnded } from "./life";
import { withModule } from "./module";
import {
  type Answer,
  type BudgetMessage,
  CHECKPOINT_MIB,
  type EngineEvent,
  type EngineRequest,
  type Question,
  type SignRequest,
} from "./protocol";
import { Watchdog } from "./watchdog";
import { idlePort, WorkerCalls, type WorkerPort } from "./worker-calls";

/** The worker; a test passes its own. */
export type Port = WorkerPort<EngineRequest | SignRequest, EngineEvent>;

/** Starts a worker whose checkpoints may take `budget_mib` MiB. */
export function startEngine(budget_mib = CHECKPOINT_MIB): Port {
  const worker = new Worker(new URL("./worker/engine.worker.ts", import.meta.url), {
    type: "module",
  });
  const budget: BudgetMessage = { kind: "budget", mib: budget_mib };
  worker.postMessage(budget);
  return withModule(worker);
}

/** Talks to the engine. Events go to the one listener, answers to the caller that asked. */
export class EngineClient {
  readonly #calls: WorkerCalls<EngineRequest | SignRequest, EngineEvent>;
  readonly #listen: (event: EngineEvent) => void;
  readonly #watchdog = new Watchdog({
    ask: () => this.#calls.send({ kind: "sign" }),
    silent: () => this.#listen({ kind: "silent" }),
    back: () => this.#listen({ kind: "back" }),
  });
  /** Stops waiting for the worker's end; null if the browser does not report it. */
  #unwatch: (() => void) | null = null;

  constructor(listen: (event: EngineEvent) => void, start: () => Port = () => startEngine()) {
    this.#listen = listen;
    this.#calls = new WorkerCalls({
      start: () => this.#started(start),
      hear: (event) => this.#hear(event),
      broke: (message) => {
        this.#unwatchLife();
        this.#listen({ kind: "unavailable", message });
      },
    });
    this.#calls.connect();
  }

  /** Sends a request. */
  send(request: EngineRequest): void {
    this.#calls.send(request);
  }

  /**
   * Sends a question. The promise stays pending if the engine breaks before it answers. The promise
   * rejects with a message if the part that would answer did not load.
   */
  ask<K extends Question["kind"]>(
    question: Extract<Question, { kind: K }>,
  ): Promise<Extract<Answer, { kind: K }>> {
    const { answer } = this.#calls.call(
      (id) => ({ kind: "ask", id, question }),
      (event) => {
        if (event.kind !== "answer") return undefined;
        if (event.answer.kind === "failed") throw new Error(event.answer.message);
        return event.answer as Extract<Answer, { kind: K }>;
      },
    );
    return answer;
  }

  /** Discards the broken engine and starts another, which reports when it is ready. */
  restart(): void {
    this.dispose();
    this.#calls.connect();
  }

  /** Ends the worker. Later requests are dropped. */
  dispose(): void {
    this.#unwatchLife();
    this.#calls.close();
  }

  #started(start: () => Port): Port {
    if (typeof WebAssembly !== "undefined") return start();
    // A worker would only fail later, with its own message.
    queueMicrotask(() => this.#listen({ kind: "unavailable", message: "no WebAssembly" }));
    return idlePort();
  }

  #hear(event: EngineEvent) {
    if (event.kind === "lives") return this.#watchLife(event.lock);
    if (!this.#unwatch) this.#watchdog.hear();
    if (event.kind === "sign") return;
    if (event.kind === "answer") this.#calls.answer(event.id, event);
    else this.#listen(event);
  }

  /** The browser reports when the worker has ended, so the page need not ping the worker. */
  #watchLife(lock: string) {
    const locks = browserLocks();
    if (!locks) return;
    this.#unwatchLife();
    const ended = () => this.#listen({ kind: "ended" });
    this.#unwatch = whenEnded(lock, ended, locks);
  }

  #unwatchLife() {
    this.#watchdog.end();
    this.#unwatch?.();
    this.#unwatch = null;
  }
}
