import { counted, hex, orderWords, zoneWords } from "../../../engine/format";
import { gfpWords, type Words } from "../../../engine/sentence";
import type { Info, View } from "../../../engine/types";
import { Name } from "../../../ui/lit";
import { LookLine, StepLink } from "../bits";
import type { PartProps } from "../ExplainPanel";
import { useSearch } from "../hooks";
import { findPlan } from "../search";
import { Parts } from "./PlanParts";
import type { Plan } from "./plan";

/** How an allocation went: the one in progress, otherwise the last one that ended. */
export function PlanPart({ info, frame, words, log, isPaused }: PartProps) {
  const { view } = frame;
  const { step } = view.position;
  const { route } = view;
  const key = isPaused ? `${step} ${route?.task ?? ""}` : null;
  const found = useSearch(key, log, (looking) =>
    findPlan(looking, step, { task: route?.task ?? null, isInProgress: route !== null }),
  );
  // After a step back, results from later steps are hidden.
  const isAhead = found.value && (found.value.end?.step ?? found.value.step) > step;
  const plan = isAhead ? null : found.value;
  return (
    <div className="plan">
      <LookLine {...found} goOn={found.again}>
        {found.of !== null && !plan && "No page has been allocated since boot."}
      </LookLine>
      {plan && (
        <>
          <Asked plan={plan} info={info} view={view} words={words} />
          <Parts
            plan={plan}
            words={words}
            info={info}
            list={plan.end || !route ? [] : route.stops.map(({ zone }) => zone)}
          />
          <Outcome plan={plan} words={words} />
        </>
      )}
    </div>
  );
}

function Asked({
  plan: { asked, task, step, end },
  info,
  view,
  words,
}: {
  plan: Plan;
  info: Info;
  view: View;
  words: Words;
}) {
  const preferred = view.zones[asked.preferred]?.key;
  const highest = info.zone_types[asked.high];
  return (
    <>
      <p className="about">
        <Name k={`task ${task}`}>{words.tasks.get(task)?.name ?? `task ${task}`}</Name>{" "}
        {end ? "requested" : "requests"} <b>{orderWords(asked.order, info.page_size)}</b> at{" "}
        <StepLink step={step} />
        {end ? "." : " and has no page yet."}
      </p>
      <dl className="asked">
        <div className="long">
          <dt>gfp flags</dt>
          <dd>{gfpWords(words.catalog.gfp, asked.gfp).replaceAll("|", " | ")}</dd>
        </div>
        <div>
          <dt>migrate type</dt>
          <dd>{words.migratetypes[asked.migratetype]}</dd>
        </div>
        <div>
          <dt>zonelist of</dt>
          <dd>node {asked.node}</dd>
        </div>
        <div>
          <dt>first zone</dt>
          <dd>{preferred && <Name k={`zone ${preferred}`}>{preferred}</Name>}</dd>
        </div>
        <div>
          <dt>highest zone</dt>
          <dd>{highest}</dd>
        </div>
      </dl>
    </>
  );
}

function Outcome({ plan: { end, parts }, words }: { plan: Plan; words: Words }) {
  if (!end) return null;
  const walks = parts.filter((part) => part.kind === "walk");
  const zone = words.zones[walks.at(-1)?.stops.at(-1)?.zone ?? -1];
  if (end.pfn === null) {
    return (
      <p className="outcome">
        The request failed after {counted(walks.length, "walk")}, at <StepLink step={end.step} />.
      </p>
    );
  }
  return (
    <p className="outcome">
      <Name k={`page ${end.pfn}`}>{hex(end.pfn)}</Name>
      {zone && (
        <>
          {" "}
          of <Name k={`zone ${zone}`}>{zoneWords(zone)}</Name>
        </>
      )}{" "}
      was allocated at <StepLink step={end.step} />.
    </p>
  );
}
