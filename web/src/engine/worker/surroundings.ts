// The environment of the host: a worker, or a test.

import type { EngineEvent } from "../protocol";
import type { Reader } from "../reader";
import type { Reading } from "../reading";
import type { Catalog } from "../types";

/** The dependencies of the host. */
export interface Surroundings {
  /** The engine's texts. */
  readonly catalog: Catalog;
  /** Monotonic time, ms. */
  readonly now: () => number;
  /** Calls back after a pause in which requests may arrive. */
  readonly later: (work: () => void, delay_ms: number) => void;
  readonly post: (event: EngineEvent, transfer: ArrayBuffer[]) => void;
  /** Reads an experiment, in a separate instance. */
  readonly read: (json: string) => Reading | Promise<Reading>;
  /** Calls a function that works on texts alone, in the same separate instance. */
  readonly call: Reader["call"];
  /** Warms up the engine's code before it is needed, while `isIdle`. */
  readonly warmUp: (isIdle: () => boolean) => void;
}
