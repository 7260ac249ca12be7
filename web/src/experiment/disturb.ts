// Changes the machine at a moment: makes the same experiment with one more intervention, which
// begins at the present step.

import type { Intervention } from "./disturbances";

/** Another CPU may be this far ahead, ns; the intervention must begin later. */
export const AHEAD_NS = 10_000;

/** An intervention without its time. */
export type Act = Omit<Intervention, "at">;

/** The experiment, as JSON, with an intervention shortly after a moment. */
export function disturbed(experiment: string, act: Act, now_ns: number): string {
  const draft: { interventions?: Intervention[] } = JSON.parse(experiment);
  const at = `${now_ns + AHEAD_NS}ns`;
  const interventions = [...(draft.interventions ?? []), { at, ...act }];
  return JSON.stringify({ ...draft, id: "", interventions });
}

/** The experiment, as JSON, without the intervention at an index. */
export function undisturbed(experiment: string, place: number): string {
  const draft: { interventions?: Intervention[] } = JSON.parse(experiment);
  const interventions = (draft.interventions ?? []).filter((_, i) => i !== place);
  return JSON.stringify({ ...draft, id: "", interventions });
}

/** A process that touches a share of all memory, again and again. */
export const hog = (name: string, percent: number): NonNullable<Act["start"]> => ({
  name,
  program: [
    { op: "map", region: "memory", size: `${percent}%` },
    { op: "repeat", times: 1_000_000, do: [{ op: "touch", region: "memory" }] },
  ],
});

/** An unused process name: "hog", "hog2". */
export function freeName(base: string, taken: ReadonlySet<string>): string {
  if (!taken.has(base)) return base;
  let i = 2;
  while (taken.has(`${base}${i}`)) i += 1;
  return `${base}${i}`;
}
