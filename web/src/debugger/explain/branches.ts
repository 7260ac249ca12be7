// The branch that a decision took and the other one, in the words of the engine's templates. Each
// decision is one answer to a question with several answers. If no template describes the other
// branch, nothing is shown.

import type { Kinds, RecordName } from "../../engine/record";
import { withPlaces } from "../../engine/sentence";

/** Decisions that answer the same question. */
const QUESTIONS: readonly (readonly RecordName[])[] = [
  ["WmPass", "WmFail"],
  ["WmPassPlain", "WmFailPlain"],
  ["WmSmallOk", "WmSmallFail"],
  ["TakePcp", "RefillPcp"],
  ["BlockFound", "BlockNone"],
  ["Claim", "NoClaim"],
  ["Merge", "MergeStop"],
  ["PcpPut", "PcpFull"],
  ["WakeKswapd", "KswapdNotNeeded"],
  ["WakeKswapdKept", "KswapdNotNeededKept"],
  ["RefsActivate", "RefsKeep", "RefsReclaim"],
  ["GapHolds", "GapFails"],
  ["GapHoldsKept", "GapFailsKept"],
  ["PriorityRises", "PriorityStays"],
  ["NodeBalanced", "NodeNotBalanced"],
  ["RefaultNear", "RefaultFar"],
  ["FlushBackground", "FlushBelow"],
  ["BdpOver", "BdpUnder"],
];

/** The consequence of a decision, and the consequences of the other answers. */
export interface Branches {
  readonly taken: string;
  readonly others: readonly string[];
}

/** The consequence at the end of a template; numbers of a branch that was not taken are unknown. */
export function consequence(template: string): string {
  const last = template.split(/(?<=[.:]) /).at(-1) ?? "";
  const words = withPlaces(last, () => "…").replace(/\.$/, "");
  return words.charAt(0).toLowerCase() + words.slice(1);
}

/** The branches of a decision; null if its question has no other answer. */
export function branchesOf(name: string, { records }: Kinds): Branches | null {
  const answers: readonly string[] | undefined = QUESTIONS.find((question) =>
    question.some((answer) => answer === name),
  );
  if (!answers) return null;
  const consequenceOf = (answer: string) => {
    const template = records.find((kind) => kind.name === answer)?.template;
    return template ? consequence(template) : "";
  };
  const others = answers.filter((answer) => answer !== name).map(consequenceOf);
  return { taken: consequenceOf(name), others: others.filter((words) => words !== "") };
}

/** Every decision with branches, for a test. */
export const BRANCHED: readonly string[] = QUESTIONS.flat();
