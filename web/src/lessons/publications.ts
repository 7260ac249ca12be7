// The published tables, loaded on demand.

import * as v from "valibot";
import { once } from "../engine/once";
import { EXPERIMENT } from "../engine/schema";
import { type Figures, type PublishedTable, readFigures } from "./schema";

/** The size: the published machine, or a small machine with a proportionally scaled workload. */
export type Size = "teach" | "full";

/** Published histograms of a series. */
export type PublishedDelays = NonNullable<Figures["delays"]>;

/** The suspected reason why a row differs from the published one. */
export interface Doubt {
  readonly table: string;
  readonly metric: string;
  readonly suspect: string;
}

/**
 * A table with the name of its file in `lessons/figures`, without ".json", and the waits published
 * in that file.
 */
export type FiledTable = PublishedTable & {
  readonly file: string;
  readonly delays?: PublishedDelays | undefined;
};

/** All published tables, including those that cannot be run yet. */
interface Publications {
  readonly tables: readonly FiledTable[];
  readonly doubts: readonly Doubt[];
}

const files = import.meta.glob<unknown>("../../../lessons/figures/*.json", {
  import: "default",
});

const doubtsFile = v.strictObject({
  about: v.string(),
  doubts: v.array(v.strictObject({ table: v.string(), metric: v.string(), suspect: v.string() })),
});

type PublishedRow = PublishedTable["rows"][number];

/** The experiment of a row at a size. */
export function experimentOf(table: PublishedTable, row: PublishedRow, size: Size): string {
  const id = row.experiment ?? table.experiment ?? table.id;
  return size === "teach" ? `${id}.teach` : id;
}

/** The size of an experiment, by its id. */
export const sizeOf = (id: string): Size => (id.endsWith(".teach") ? "teach" : "full");

/** All experiments of a table at a size, without repetition, in the order of their rows. */
export const experimentsOf = (table: PublishedTable, size: Size): readonly string[] => [
  ...new Set(table.rows.map((row) => experimentOf(table, row, size))),
];

const { id: ids, kernel: names } = EXPERIMENT.properties ?? {};

/** Does the engine have a kernel of this name? Patches may follow it: "5.15+throttle-writeback". */
export const isModelled = (kernel: string): boolean =>
  names?.enum?.includes(kernel.split("+")[0] ?? "") ?? false;

/**
 * The difference between a published kernel and the one that is run for it; undefined if they are
 * the same.
 */
export const standInNote = (kernel: string): string | undefined => names?.["x-published"]?.[kernel];

/**
 * Can a table be run? The page hides a table until the engine has its baseline, another of its
 * kernels, and its experiments.
 */
export const isOffered = ({ kernels, ...table }: PublishedTable): boolean =>
  isModelled(kernels[0] ?? "") &&
  kernels.slice(1).some(isModelled) &&
  experimentsOf({ kernels, ...table }, "full").every((id) => ids?.["x-ready-made"]?.includes(id));

/** Loads the tables and the doubts. */
export const loadPublications = once(load);

async function load(): Promise<Publications> {
  const names = Object.keys(files).sort();
  const [doubts, ...loaded] = await Promise.all([
    import("../../../lessons/doubts.json"),
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
