import { count } from "../../../engine/format";
import { RichText } from "../../../ui/rich-text";
import { Mark, StepLink } from "../bits";
import { Decided, type PlanProps } from "./Decided";
import type { AllocationPart, Reclaim, Walk } from "./plan";
import { allocFlags, placesWords, walkTitle, withGaps } from "./plan-words";
import { StopItem } from "./StopItem";
import { PLAN_PARTS } from "./words";

/** The parts of an allocation in order: walks, decisions of the slow path, reclaim. */
export function Parts(props: PlanProps) {
  return (
    <ol className="plan-parts" aria-label={PLAN_PARTS.howAllocationWent}>
      {props.plan.parts.map((part, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts keep their order
        <PartItem key={i} part={part} {...props} />
      ))}
    </ol>
  );
}

function PartItem({ part, ...props }: PlanProps & { part: AllocationPart }) {
  switch (part.kind) {
    case "walk":
      return <WalkItem walk={part} {...props} />;
    case "reclaim":
      return <ReclaimItem reclaim={part} />;
    case "decision":
      return (
        <li className="said">
          <Decided record={part.record} words={props.words} />
        </li>
      );
  }
}

function WalkItem({ walk, ...props }: PlanProps & { walk: Walk }) {
  const flags = walk.flags === null ? [] : allocFlags(walk.flags);
  return (
    <li className="walk">
      <h3 className="label">{walkTitle(walk)}</h3>
      {flags.length > 0 && <p className="cap">{flags.join(", ")}</p>}
      <ol>
        {withGaps(walk).map((each) =>
          "zone" in each ? (
            <StopItem key={each.step} stop={each} walk={walk} {...props} />
          ) : (
            <li key={`gap ${each.first}`} className="gap">
              {PLAN_PARTS.notChecked(
                placesWords(each),
                zonesOf(props.list, each.first, each.last),
                each.isAbove,
                highest(props),
              )}
            </li>
          ),
        )}
      </ol>
    </li>
  );
}

const highest = ({ info, plan }: PlanProps) => info.zone_types[plan.asked.high] ?? "";

/** The zones at some positions of the zonelist, if it is known. */
function zonesOf(list: readonly string[], first: number, last: number): string {
  const zones = list.slice(first - 1, last);
  return zones.length > 0 ? `, ${zones.join(", ")}` : "";
}

function ReclaimItem({ reclaim }: { reclaim: Reclaim }) {
  const { step, end, passes, scanned, freed } = reclaim;
  return (
    <li className="said">
      <Mark is={freed === null ? null : freed > 0} />
      <p>
        <RichText
          text={PLAN_PARTS.directReclaim(passes, scanned, end !== null)}
          parts={{
            start: <StepLink step={step} />,
            passes: <b>{count(passes)}</b>,
            scanned: <b>{count(scanned)}</b>,
            freed: <b>{count(freed ?? 0)}</b>,
            end: end !== null && <StepLink step={end} />,
          }}
        />
      </p>
    </li>
  );
}
