import { count } from "../../../engine/format";
import { Mark, StepLink } from "../bits";
import { Decided, type PlanProps } from "./Decided";
import type { AllocationPart, Reclaim, Walk } from "./plan";
import { allocFlags, placesWords, walkTitle, withGaps } from "./plan-words";
import { StopItem } from "./StopItem";

/** The parts of an allocation in order: walks, decisions of the slow path, reclaim. */
export function Parts(props: PlanProps) {
  return (
    <ol className="plan-parts" aria-label="How the allocation went">
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
              {placesWords(each)}
              {zonesOf(props.list, each.first, each.last)}:{" "}
              {each.isAbove
                ? `above ${highest(props)}, the highest zone this request may use.`
                : "not checked."}
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
        Direct reclaim began at <StepLink step={step} />: <b>{count(passes)}</b>{" "}
        {passes === 1 ? "pass" : "passes"}, <b>{count(scanned)}</b>{" "}
        {scanned === 1 ? "page" : "pages"} scanned
        {end === null ? (
          " so far."
        ) : (
          <>
            , <b>{count(freed ?? 0)}</b> freed, until <StepLink step={end} />.
          </>
        )}
      </p>
    </li>
  );
}
