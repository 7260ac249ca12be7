// Breakpoints and searches on one slot of the engine: the targets and the results.

import type { Advance, Engine } from "../pkg/mmscope";
import type { EngineRequest, Found, StopPoint } from "../protocol";

/** The searches of one opened experiment. */
export class Searches {
  readonly #engine: Engine;
  readonly #slot: number;
  #points: readonly StopPoint[] = [];
  /** Ids of the engine's breakpoints, by the engine's index for them. */
  #ids: string[] = [];
  #what: Found["what"] = "next";

  constructor(engine: Engine, slot: number) {
    this.#engine = engine;
    this.#slot = slot;
  }

  /** Sets the breakpoints. */
  set(points: readonly StopPoint[], isOpen: boolean) {
    this.#points = points;
    if (isOpen) this.arm();
  }

  /** Sends the breakpoints to the engine after a change; leaves out those that this machine
   * lacks. */
  arm() {
    this.#engine.clear_breakpoints(this.#slot);
    this.#ids = this.#points.filter((point) => this.#add(point)).map(({ id }) => id);
  }

  #add({ watched: { kind, a, b }, condition }: StopPoint): boolean {
    const { field = "", is = "=", with: word = "" } = condition ?? {};
    const number = numberIn(word);
    return this.#engine.add_breakpoint(this.#slot, kind, a, b, field, is, word.trim(), number);
  }

  /** Starts a search; the engine's `seek_more` continues it. */
  begin(
    request: Extract<EngineRequest, { kind: "find" | "last-change" }>,
    maxSteps: number,
  ): Advance {
    if (request.kind === "last-change") {
      this.#what = "change";
      const { kind, a, b } = request.watched;
      return this.#engine.last_change(this.#slot, kind, a, b, request.until);
    }
    this.#what = request.what;
    return request.what === "next"
      ? this.#engine.find_next(this.#slot, maxSteps, undefined)
      : this.#engine.find_previous(this.#slot);
  }

  /** The result of the search that ends with this answer. */
  outcome({ hit = null }: Advance): Found {
    if (hit === null) return { what: this.#what, id: null };
    return { what: this.#what, id: this.#what === "change" ? "" : (this.#ids[hit] ?? null) };
  }

  /** Continues the run, up to the next breakpoint if there are breakpoints. */
  run(maxSteps: number, until_ns: number | undefined): Advance {
    return this.#ids.length > 0
      ? this.#engine.find_next(this.#slot, maxSteps, until_ns)
      : this.#engine.run(this.#slot, maxSteps, undefined, until_ns);
  }

  /** The same, up to a step. */
  runTo(maxSteps: number, step: number): Advance {
    if (this.#ids.length === 0) return this.#engine.run(this.#slot, maxSteps, step, undefined);
    const left = step - this.#engine.view(this.#slot, undefined).position.step;
    return this.#engine.find_next(this.#slot, Math.min(maxSteps, left), undefined);
  }

  /** One step of the task that runs next. */
  step(): Advance {
    return this.#ids.length > 0
      ? this.#engine.find_next(this.#slot, 1, undefined)
      : this.#engine.step(this.#slot, "any", undefined, 1);
  }

  /** The breakpoint that {@link run} or {@link step} stopped at. */
  hitOf({ hit = null }: Advance): Found | null {
    const id = hit === null ? undefined : this.#ids[hit];
    return this.#ids.length > 0 && id !== undefined ? { what: "next", id } : null;
  }
}

/** The whole number that a user typed: "1,213", "0x52fcb", "-4"; undefined for a word. */
export function numberIn(word: string): number | undefined {
  const bare = word.trim().replaceAll(",", "").replace("\u2212", "-");
  return /^(0x[0-9a-f]{1,13}|-?\d{1,15})$/i.test(bare) ? Number(bare) : undefined;
}
