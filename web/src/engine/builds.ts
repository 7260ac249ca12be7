// Two builds of the engine behind one set of bindings: the one that comes first, and the whole one,
// which has every mechanism and is loaded when an experiment needs one the first lacks. From then on
// it runs everything, and what the first took is given back.

import type { Checked, Reading } from "./reading";

/** What a worker needs of an engine to put another in its place. */
interface Freed {
  free(): void;
}

/** Which build of the engine runs, and how it becomes the whole one. */
export class Builds<Engine extends Freed> {
  readonly #load: () => Promise<WebAssembly.Module>;
  readonly #start: (module: WebAssembly.Module) => Engine;
  #isWhole: boolean;
  #loading: Promise<void> | null = null;
  #module: WebAssembly.Module | null = null;

  /**
   * @param load fetches and compiles the whole build
   * @param start puts it in the place of the first, whose engines are gone
   * @param isWhole it is there from the beginning
   */
  constructor(
    load: () => Promise<WebAssembly.Module>,
    start: (module: WebAssembly.Module) => Engine,
    isWhole = false,
  ) {
    this.#load = load;
    this.#start = start;
    this.#isWhole = isWhole;
  }

  /** Does the whole one run? Nothing takes its place any more. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /**
   * What was read, at once or when there is an engine that runs it; until then the one there is stays
   * as it is. Fails when the whole one does not load; who asks next tries again.
   */
  ready(reading: Reading): Reading | Promise<Reading> {
    const needsMore = reading.kind === "checked" && reading.whole;
    if (!needsMore || this.#isWhole || this.#module) return reading;
    this.#loading ??= this.#load().then(
      (module) => {
        this.#module = module;
      },
      (error) => {
        this.#loading = null;
        throw error;
      },
    );
    return this.#loading.then(() => reading);
  }

  /** The engine to open what is ready in: `engine`, or the one that has taken its place. */
  engineFor({ whole }: Checked, engine: Engine): Engine {
    if (!whole || !this.#module) return engine;
    const module = this.#module;
    this.#module = null;
    this.#isWhole = true;
    engine.free();
    return this.#start(module);
  }
}
