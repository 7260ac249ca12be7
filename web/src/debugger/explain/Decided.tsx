import { sentenceOf } from "../../engine/said";
import type { Info } from "../../engine/types";
import { Sentence } from "../../ui/sentence";
import { Mark } from "./bits";
import { branchesOf } from "./branches";
import type { Fact } from "./facts";
import type { LifeWords } from "./life";
import type { Plan } from "./plan";
import { isYes } from "./plan-words";

/** What the parts of a plan are told with. */
export interface PlanProps {
  readonly plan: Plan;
  readonly words: LifeWords;
  readonly info: Info;
  /** Keys of the zonelist's zones, where it is known: while the allocation is in progress. */
  readonly list: readonly string[];
}

/** A decision in the engine's words, with the branches it had. */
export function Decided({ fact, words }: { fact: Fact; words: LifeWords }) {
  const { catalog } = words.said;
  const template = catalog.decisions.find(({ name }) => name === fact.name)?.template ?? "";
  const branches = branchesOf(fact.name, catalog);
  return (
    <>
      <Mark is={isYes(fact.name)} />
      <p>
        <Sentence spans={sentenceOf(template, fact.n, words.said)} />
        {branches && branches.others.length > 0 && (
          <small className="otherwise">Otherwise: {branches.others.join(", or ")}.</small>
        )}
      </p>
    </>
  );
}
