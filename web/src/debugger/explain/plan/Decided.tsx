import type { Rec } from "../../../engine/record";
import { sentenceOf, type Words } from "../../../engine/sentence";
import type { Info } from "../../../engine/types";
import { Sentence } from "../../../ui/sentence";
import { Mark } from "../bits";
import { branchesOf } from "../branches";
import type { Plan } from "./plan";
import { isYes } from "./plan-words";
import { DECIDED } from "./words";

/** Props of the parts of a plan. */
export interface PlanProps {
  readonly plan: Plan;
  readonly words: Words;
  readonly info: Info;
  /** Keys of the zonelist's zones, if known: while the allocation is in progress. */
  readonly list: readonly string[];
}

/** A decision in the engine's words, with its branches. */
export function Decided({ record, words }: { record: Rec; words: Words }) {
  const branches = branchesOf(record.name, words.catalog);
  return (
    <>
      <Mark is={isYes(record.name)} />
      <p>
        <Sentence spans={sentenceOf(record, words) ?? []} />
        {branches && branches.others.length > 0 && (
          <small className="otherwise">{DECIDED.otherwise(branches.others.join(", or "))}</small>
        )}
      </p>
    </>
  );
}
