// The page's side of the protocol: one worker, which is restarted when its engine breaks.

import { browserLocks, whenEnded } from "./life";
import { withModule } from "./module";
import type { Answer, EngineEvent, EngineRequest, Question, SignRequest } from "./protocol";
import { Watchdog } from "./watchdog";

/** The parts of a worker that the page uses; a test passes its own. */
export interface Port {
  postMessage(request: EngineRequest | SignRequest): void;
  onmessage: ((message: MessageEvent<EngineEvent>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  terminate(): void;
}

const startWorker = (): Port =>
  withModule(new Worker(new URL("./worker/engine.worker.ts", import.meta.url), { type: "module" }));

/** Talks to the engine. Events go to the one listener, answers to the caller that asked. */
export class EngineClient {
  readonly #start: () => Port;
  readonly #listen: (event: EngineEvent) => void;
  readonly #asked = new Map<number, (answer: Answer) => void>();
  readonly #watchdog = new Watchdog({
    ask: () => this.#port.postMessage({ kind: "sign" }),
    silent: () => this.#listen({ kind: "silent" }),
    back: () => this.#listen({ kind: "back" }),
  });
  /** Stops waiting for the worker's end; null if the browser does not report it. */
  #unwatch: (() => void) | null = null;
  #port: Port;
  #nextAsk = 0;

  constructor(listen: (event: EngineEvent) => void, start: () => Port = startWorker) {
    this.#start = start;
    this.#listen = listen;
    this.#port = this.#connect();
  }

  /** Sends a request. */
  send(request: EngineRequest): void {
    this.#port.postMessage(request);
  }

  /**
   * Asks a question. The promise stays pending when the engine breaks before it answers. It rejects
   * with a message when the part that would answer did not load.
   */
  ask<K extends Question["kind"]>(
    question: Extract<Question, { kind: K }>,
  ): Promise<Extract<Answer, { kind: K }>> {
    const id = this.#nextAsk;
    this.#nextAsk += 1;
    return new Promise((resolve, reject) => {
      this.#asked.set(id, (answer) => {
        if (answer.kind === "failed") reject(new Error(answer.message));
        else resolve(answer as Extract<Answer, { kind: K }>);
      });
      this.send({ kind: "ask", id, question });
    });
  }

  /** Discards the broken engine and starts another, which reports when it is ready. */
  restart(): void {
    this.dispose();
    this.#port = this.#connect();
  }

  /** Ends the worker. */
  dispose(): void {
    this.#asked.clear();
    this.#unwatchLife();
    this.#port.onmessage = null;
    this.#port.onerror = null;
    this.#port.terminate();
  }

  #connect(): Port {
    // A worker would only fail later, with a message of its own.
    if (typeof WebAssembly === "undefined") {
      queueMicrotask(() => this.#listen({ kind: "unavailable", message: "no WebAssembly" }));
      return { postMessage: () => {}, onmessage: null, onerror: null, terminate: () => {} };
    }
    const port = this.#start();
    port.onmessage = ({ data }) => {
      if (data.kind === "lives") return this.#watchLife(data.lock);
      if (!this.#unwatch) this.#watchdog.hear();
      if (data.kind === "sign") return;
      if (data.kind === "answer") {
        this.#asked.get(data.id)?.(data.answer);
        this.#asked.delete(data.id);
      } else {
        this.#listen(data);
      }
    };
    port.onerror = (event) => {
      this.#unwatchLife();
      this.#listen({ kind: "unavailable", message: event.message || "the worker did not start" });
    };
    return port;
  }

  /** The browser reports when the worker has ended, so the page need not ask for signs of life. */
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
