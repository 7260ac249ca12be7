import { hex, orderWords, zoneWords } from "../../../engine/format";
import { gfpWords, type Words } from "../../../engine/sentence";
import type { Info, View } from "../../../engine/types";
import { Name } from "../../../ui/lit";
import { RichText } from "../../../ui/rich-text";
import { LookLine, StepLink } from "../bits";
import type { PartProps } from "../ExplainPanel";
import { useSearch } from "../hooks";
import { findPlan } from "../search";
import { Parts } from "./PlanParts";
import type { Plan } from "./plan";
import { PLAN_PART } from "./words";

/** The course of an allocation: the one in progress, otherwise the last one that ended. */
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
        {found.of !== null && !plan && PLAN_PART.noPageHasBeen}
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
        <RichText
          text={end ? PLAN_PART.requested : PLAN_PART.requests}
          parts={{
            task: (
              <Name k={`task ${task}`}>{words.tasks.get(task)?.name ?? PLAN_PART.task(task)}</Name>
            ),
            order: <b>{orderWords(asked.order, info.page_size)}</b>,
            step: <StepLink step={step} />,
          }}
        />
      </p>
      <dl className="asked">
        <div className="long">
          <dt>{PLAN_PART.gfpFlags}</dt>
          <dd>{gfpWords(words.catalog.gfp, asked.gfp).replaceAll("|", " | ")}</dd>
        </div>
        <div>
          <dt>{PLAN_PART.migrateType}</dt>
          <dd>{words.migratetypes[asked.migratetype]}</dd>
        </div>
        <div>
          <dt>{PLAN_PART.zonelistOf}</dt>
          <dd>{PLAN_PART.task(asked.node)}</dd>
        </div>
        <div>
          <dt>{PLAN_PART.firstZone}</dt>
          <dd>{preferred && <Name k={`zone ${preferred}`}>{preferred}</Name>}</dd>
        </div>
        <div>
          <dt>{PLAN_PART.highestZone}</dt>
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
        <RichText
          text={PLAN_PART.requestFailedAfterAt(walks.length)}
          parts={{ stepLink: <StepLink step={end.step} /> }}
        />
      </p>
    );
  }
  return (
    <p className="outcome">
      <RichText
        text={zone ? PLAN_PART.allocatedOf : PLAN_PART.allocated}
        parts={{
          page: <Name k={`page ${end.pfn}`}>{hex(end.pfn)}</Name>,
          zone: zone && <Name k={`zone ${zone}`}>{zoneWords(zone)}</Name>,
          step: <StepLink step={end.step} />,
        }}
      />
    </p>
  );
}
