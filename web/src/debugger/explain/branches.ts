// The branch a decision took and the one it did not, in the words of the engine's own templates:
// each decision is one answer to a question that has another. Where no template says what the other
// would have led to, nothing is said.

import type { Kinds, RecordName } from "../../engine/record";
import { withPlaces } from "../../engine/sentence";

/** Decisions that are the answers to one question. */
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

/** What a decision led to, and what its other answers would have. */
export interface Branches {
  readonly taken: string;
  readonly others: readonly string[];
}

/** The consequence at the end of a template; numbers of a branch not taken are not known. */
export function consequence(template: string): string {
  const last = template.split(/(?<=[.:]) /).at(-1) ?? "";
  const words = withPlaces(last, () => "…").replace(/\.$/, "");
  return words.charAt(0).toLowerCase() + words.slice(1);
}

/** The branches of a decision; none where it answers no question with another answer. */
export function branchesOf(name: string, { records }: Kinds): Branches | null {
  const answers: readonly string[] | undefined = QUESTIONS.find((question) =>
    question.some((answer) => answer === name),
  );
  if (!answers) return null;
  const told = (answer: string) => {
    const template = records.find((kind) => kind.name === answer)?.template;
    return template ? consequence(template) : "";
  };
  const others = answers.filter((answer) => answer !== name).map(told);
  return { taken: told(name), others: others.filter((words) => words !== "") };
}

/** Every decision that has branches, for a test. */
export const BRANCHED: readonly string[] = QUESTIONS.flat();
