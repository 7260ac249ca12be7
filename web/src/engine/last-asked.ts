// Last asked wins. Answers come when they can: what was asked before may be answered after what was
// asked last, and is then nobody's. Whoever shows what an engine, a store or a file answers asks here.

/** An answer, while it is still waited for; where something else was asked meanwhile it never comes. */
export type Heard = <T>(answer: Promise<T>) => Promise<T>;

/** What is asked in one place, one after the other; only the last is answered. */
export class LastAsked {
  #asked = new AbortController();

  /** Asks for something else: from here on the one before is nobody's. */
  next(): AbortSignal {
    this.stop();
    this.#asked = new AbortController();
    return this.#asked.signal;
  }

  /** Waits for nothing any more. */
  stop(): void {
    this.#asked.abort();
  }

  /**
   * Asks for something else by doing some work. Whatever the work waits for it waits for by `heard`;
   * it ends there once something else was asked, and its failures are nobody's either.
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

/** An answer, or its failure, unless it was given up meanwhile: then it fails with that. */
export async function heard<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await answer;
  } finally {
    signal.throwIfAborted();
  }
}
