// What the host is surrounded by: a worker, or a test.

import type { EngineEvent } from "../protocol";
import type { Reader } from "../reader";
import type { Reading } from "../reading";
import type { Catalog } from "../types";

/** What the host needs from around it. */
export interface Surroundings {
  /** The engine's texts. */
  readonly catalog: Catalog;
  /** Monotonic time, ms. */
  readonly now: () => number;
  /** Calls back after a pause in which requests may arrive. */
  readonly later: (work: () => void, delay_ms: number) => void;
  readonly post: (event: EngineEvent, transfer: ArrayBuffer[]) => void;
  /** Reads an experiment, in an instance of its own. */
  readonly read: (json: string) => Reading | Promise<Reading>;
  /** Does what is done with texts alone, there too. */
  readonly call: Reader["call"];
  /** Runs the engine's code before it is wanted, while `isIdle`. */
  readonly warmUp: (isIdle: () => boolean) => void;
}
