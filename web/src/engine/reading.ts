// The result of reading the text of an experiment.

import type { read_experiment } from "./pkg/mmscope";
import type { Opened, Refusal } from "./types";

/** The result of reading a text. */
export type Reading =
  | {
      readonly kind: "checked";
      /** The engine's description of the opened experiment. */
      readonly opened: Opened;
    }
  | {
      readonly kind: "refused";
      readonly refusals: readonly Refusal[];
      /** The nearest experiment that can run, as JSON. */
      readonly nearest: string | null;
    };

/** Parses the result of {@link read_experiment}. */
export function readingOf(json: ReturnType<typeof read_experiment>): Reading {
  const { ok, refused } = JSON.parse(json);
  return ok ? { kind: "checked", opened: ok } : { kind: "refused", ...refused };
}
