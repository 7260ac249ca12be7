// The newest request wins. An older request may be answered after a newer one; its answer is
// dropped. Code that shows answers of an engine, a store or a file makes its requests through this
// class.

/** Passes an answer on unless a newer request was made; then the answer never arrives. */
export type Heard = <T>(answer: Promise<T>) => Promise<T>;

/** A sequence of requests; only the newest one is answered. */
export class LastAsked {
  #asked = new AbortController();

  /** Starts a new request and abandons the previous one. */
  next(): AbortSignal {
    this.stop();
    this.#asked = new AbortController();
    return this.#asked.signal;
  }

  /** Abandons the pending request. */
  stop(): void {
    this.#asked.abort();
  }

  /**
   * Starts a new request by doing some work. The work must await everything through `heard`. The
   * work ends there once a newer request was made, and its later failures are ignored.
   */
  async ask(work: (heard: Heard, signal: AbortSignal) => Promise<void>): Promise<void> {
    const signal = this.next();
    try {
      await work((answer) => heard(answer, signal), signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}

/** Awaits an answer or its failure; rejects with the abort reason if it was abandoned meanwhile. */
export async function heard<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await answer;
  } finally {
    signal.throwIfAborted();
  }
}
