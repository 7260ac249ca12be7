// What reading the text of an experiment came to.

import type { read_experiment } from "./pkg/mmscope";
import type { Opened, Refusal } from "./types";

/** What reading a text came to. */
export type Reading =
  | {
      readonly kind: "checked";
      /** What is said when it is open. */
      readonly opened: Opened;
    }
  | {
      readonly kind: "refused";
      readonly refusals: readonly Refusal[];
      /** The nearest experiment that can run, as JSON. */
      readonly nearest: string | null;
    };

/** Reads what {@link read_experiment} says. */
export function readingOf(json: ReturnType<typeof read_experiment>): Reading {
  const { ok, refused } = JSON.parse(json);
  return ok ? { kind: "checked", opened: ok } : { kind: "refused", ...refused };
}
