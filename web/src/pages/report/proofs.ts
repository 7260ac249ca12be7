// The runs of a report for files that others can verify, and for the user's history.

import { foundationsOf } from "../../engine/rests-on";
import type { RestsOn } from "../../engine/types";
import type { Proof } from "../../export/evidence";
import { idOf, type PastRun } from "../../keep/history";
import { experimentsOf } from "../../lessons/publications";
import type { PublishedTable } from "../../lessons/schema";
import { writeFragment } from "../../link/router";
import type { Result, RunOf, RunProof } from "../../runs/results";
import type { Visit } from "../../runs/visit";

/** A run for a file, before what it rests on has its names. */
export interface RunOfFile {
  readonly proof: Proof;
  readonly restsOn: RestsOn | undefined;
}

/** The runs of a table that were made in this browser. */
export function proofsOf(table: PublishedTable, { results }: Visit): readonly RunOfFile[] {
  const ids = (["teach", "full"] as const).flatMap((size) => experimentsOf(table, size));
  return [...new Set(ids)].flatMap((id) =>
    table.kernels.flatMap((kernel) => {
      const run = results.get(`${id} ${kernel}`);
      return run?.proof ? [proofOf(`${table.title}: ${id}, ${kernel}`, run, run.proof)] : [];
    }),
  );
}

/** A run of the report in the format of a result file. */
const proofOf = (
  title: string,
  { rows, delays }: Result,
  { experiment, version, build, restsOn, ...end }: RunProof,
): RunOfFile => ({
  proof: {
    title,
    version,
    build,
    link: null,
    experiment,
    evidence: { ...end, report: { rows, delays } },
  },
  restsOn,
});

/** The runs with the names and notes of what they rest on. */
export const withFoundations = (
  runs: readonly RunOfFile[],
  catalog: Parameters<typeof foundationsOf>[0],
): readonly Proof[] =>
  runs.map(({ proof, restsOn }) => {
    const { kernel } = JSON.parse(proof.experiment) as { readonly kernel?: string };
    return restsOn
      ? { ...proof, foundations: foundationsOf(catalog, kernel ?? "", restsOn) }
      : proof;
  });

/** A run of the report in the format of the user's history. */
export function pastRunOf(
  table: PublishedTable,
  { experiment: id, kernel }: RunOf,
  { run_ms }: Result,
  { experiment, version, build, position, hash, counters }: RunProof,
): Omit<PastRun, "note"> {
  return {
    id: idOf(`${build} ${hash} ${experiment}`),
    title: `${table.title}: ${id}`,
    kernel,
    source: "report",
    runs: 1,
    made_ms: run_ms,
    engine: version,
    build,
    hash,
    steps: position.step,
    time_ns: position.time_ns,
    figures: counters
      .filter(([, value]) => value !== 0)
      .map(([name, value]): [string, number] => [name, value]),
    experiment,
    address: writeFragment({ page: "report", table: table.id }),
  };
}
