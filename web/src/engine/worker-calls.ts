// Calls to a worker: each request has a number, and its answer settles the promise of the caller.
// All clients of workers use this code.

/** The parts of a worker that a client uses; a test passes its own. */
export interface WorkerPort<Request, Event> {
  postMessage(request: Request): void;
  onmessage: ((message: MessageEvent<Event>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  terminate(): void;
}

/** A worker that never answers. */
export const idlePort = <Request, Event>(): WorkerPort<Request, Event> => ({
  postMessage: () => {},
  onmessage: null,
  onerror: null,
  terminate: () => {},
});

interface Pending<Event> {
  /** Handles one event; returns true when the request is finished. */
  readonly hear: (event: Event) => boolean;
  readonly reject: (error: Error) => void;
}

/** The callbacks of a client. */
interface Client<Request, Event> {
  readonly start: () => WorkerPort<Request, Event>;
  /** Receives every event, and passes answers to the calls with {@link WorkerCalls.answer}. */
  readonly hear: (event: Event) => void;
  /** Called when the worker does not start, or stops with an error. */
  readonly broke: (message: string) => void;
}

/** A call whose answer has not arrived yet. */
interface Call<T> {
  readonly id: number;
  readonly answer: Promise<T>;
}

/** One worker and the calls that wait for its answers. The worker starts with the first request. */
export class WorkerCalls<Request, Event> {
  readonly #client: Client<Request, Event>;
  readonly #pending = new Map<number, Pending<Event>>();
  #port: WorkerPort<Request, Event> | null = null;
  #next = 0;
  /** Requests are dropped. */
  #isClosed = false;

  constructor(client: Client<Request, Event>) {
    this.#client = client;
  }

  /** Starts the worker if none is running, also after `close`. */
  connect(): void {
    this.#isClosed = false;
    this.#port ??= this.#started();
  }

  /** Sends a request that has no answer. */
  send(request: Request): void {
    if (this.#isClosed) return;
    this.#port ??= this.#started();
    this.#port.postMessage(request);
  }

  /** Sends a request without an answer to the worker that runs; starts none for it. */
  notify(request: Request): void {
    this.#port?.postMessage(request);
  }

  /** Sends a request; `answerOf` returns the answer when an event contains it. */
  call<T>(request: (id: number) => Request, answerOf: (event: Event) => T | undefined): Call<T> {
    const id = this.#next;
    this.#next += 1;
    const answer = new Promise<T>((resolve, reject) => {
      const hear = (event: Event) => {
        const found = answerOf(event);
        if (found === undefined) return false;
        resolve(found);
        return true;
      };
      this.#pending.set(id, { hear, reject });
    });
    this.send(request(id));
    return { id, answer };
  }

  /** Passes an event to the call with a number. An `answerOf` that throws rejects its call. */
  answer(id: number, event: Event): void {
    const pending = this.#pending.get(id);
    if (!pending) return;
    try {
      if (pending.hear(event)) this.#pending.delete(id);
    } catch (error) {
      this.reject(id, error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** Rejects the call with a number, if it is still pending. */
  reject(id: number, error: Error): void {
    this.#pending.get(id)?.reject(error);
    this.#pending.delete(id);
  }

  /** Ends the worker and rejects all calls. The next request starts another worker. */
  fail(message: string): void {
    const pending = [...this.#pending.values()];
    this.end();
    for (const { reject } of pending) reject(new Error(message));
  }

  /** Ends the worker. The promises of its calls stay pending. */
  end(): void {
    this.#pending.clear();
    if (!this.#port) return;
    this.#port.onmessage = null;
    this.#port.onerror = null;
    this.#port.terminate();
    this.#port = null;
  }

  /** Ends the worker, and drops requests until `connect`. */
  close(): void {
    this.end();
    this.#isClosed = true;
  }

  #started(): WorkerPort<Request, Event> {
    const port = this.#client.start();
    port.onmessage = ({ data }) => this.#client.hear(data);
    port.onerror = (event) => this.#client.broke(event.message || "the worker did not start");
    return port;
  }
}
