// The published tables, loaded when somebody wants to see one.

import * as v from "valibot";
import { type PublishedTable, readFigures } from "../lesson/schema";

/** Why a row may differ, where a reason is suspected. */
export interface Doubt {
  readonly table: string;
  readonly metric: string;
  readonly suspect: string;
}

/** All that is published. */
export interface Publications {
  readonly tables: readonly PublishedTable[];
  readonly doubts: readonly Doubt[];
}

const files = import.meta.glob<unknown>("../../../lessons/figures/*.json", { import: "default" });

const doubtsFile = v.strictObject({
  about: v.string(),
  doubts: v.array(v.strictObject({ table: v.string(), metric: v.string(), suspect: v.string() })),
});

let loading: Promise<Publications> | undefined;

/** Loads the tables and the doubts, once. */
export function loadPublications(): Promise<Publications> {
  loading ??= load();
  return loading;
}

async function load(): Promise<Publications> {
  const names = Object.keys(files).sort();
  const [doubts, ...loaded] = await Promise.all([
    import("../../../lessons/doubts.json"),
    ...names.map((name) => files[name]?.()),
  ]);
  return {
    tables: loaded.flatMap((file) => readFigures(file).tables),
    doubts: v.parse(doubtsFile, doubts.default).doubts,
  };
}
