// The published tables, loaded when somebody wants to see one.

import * as v from "valibot";
import { once } from "../../engine/once";
import { EXPERIMENT } from "../../engine/schema";
import { type PublishedTable, readFigures } from "../../lessons/schema";
import { experimentsOf } from "./experiments";
import type { PublishedDelays } from "./waits";

/** Why a row may differ, where a reason is suspected. */
export interface Doubt {
  readonly table: string;
  readonly metric: string;
  readonly suspect: string;
}

/** A table, the file in `lessons/figures` it is in, without ".json", and the waits published there. */
export type FiledTable = PublishedTable & {
  readonly file: string;
  readonly delays?: PublishedDelays | undefined;
};

/** All that is published, what cannot be run yet with it. */
export interface Publications {
  readonly tables: readonly FiledTable[];
  readonly doubts: readonly Doubt[];
}

const files = import.meta.glob<unknown>("../../../../lessons/figures/*.json", {
  import: "default",
});

const doubtsFile = v.strictObject({
  about: v.string(),
  doubts: v.array(v.strictObject({ table: v.string(), metric: v.string(), suspect: v.string() })),
});

const workloads = EXPERIMENT.properties?.workload?.anyOf?.flatMap((kind) => kind.enum ?? []) ?? [];

/**
 * Can a table be run? One is kept from the page until the engine has all of its kernels and its
 * workload, which is called as its experiment.
 */
export const isOffered = (table: PublishedTable): boolean =>
  table.kernels.every((kernel) => EXPERIMENT.properties?.kernel?.enum?.includes(kernel)) &&
  experimentsOf(table, "full").every((id) => workloads.includes(id));

/** Loads the tables and the doubts. */
export const loadPublications = once(load);

async function load(): Promise<Publications> {
  const names = Object.keys(files).sort();
  const [doubts, ...loaded] = await Promise.all([
    import("../../../../lessons/doubts.json"),
    ...names.map((name) => files[name]?.()),
  ]);
  return {
    tables: names.flatMap((name, i) => {
      const file = name.replace(/^.*\/(.*)\.json$/, "$1");
      const { tables, delays } = readFigures(loaded[i]);
      return tables.map((table) => ({ ...table, file, delays }));
    }),
    doubts: v.parse(doubtsFile, doubts.default).doubts,
  };
}
