import type { ReactNode } from "react";
import { useWorkbenchState } from "../../app/context";
import { litSelected } from "../../app/selection";
import { count } from "../../engine/format";
import { logEntry } from "../../engine/log-entry";
import type { Rec } from "../../engine/record";
import type { Words } from "../../engine/sentence";
import type { View } from "../../engine/types";
import { Name } from "../../ui/lit";
import { RichText } from "../../ui/rich-text";
import { Sentence } from "../../ui/sentence";
import { LookLine, Titled, When } from "./bits";
import { type Charge, groupOf, remaindersOf } from "./charge";
import type { PartProps } from "./ExplainPanel";
import { FunnelTable } from "./FunnelTable";
import { useSearch } from "./hooks";
import { findCharge } from "./search";
import { taskOf } from "./WaitPart";
import { CHARGE_PART } from "./words";

/** The last charge at the limit of a cgroup, of the selected task or of any task. */
export function ChargePart({ frame, words, log, isPaused }: PartProps) {
  const { view } = frame;
  const { step } = view.position;
  const task = taskOf(useWorkbenchState(litSelected));
  const key = isPaused ? `${step} ${task ?? ""}` : null;
  const found = useSearch(key, log, (looking) => findCharge(looking, step, task));
  const charge = found.value && found.value.begun.step <= step ? found.value : null;
  return (
    <div className="wait charge">
      <LookLine {...found} goOn={found.again}>
        {found.of !== null &&
          !charge &&
          CHARGE_PART.none(task === null ? null : nameOf(task, words))}
      </LookLine>
      {charge && <ChargeDetails charge={charge} view={view} words={words} />}
    </div>
  );
}

const nameOf = (task: number, { tasks }: Words): string =>
  tasks.get(task)?.name ?? CHARGE_PART.task(task);

function ChargeDetails({ charge, view, words }: { charge: Charge; view: View; words: Words }) {
  const { task, begun, reclaims, restarts, pages, oom, end } = charge;
  return (
    <>
      <p className="about">
        <RichText
          text={outcome(charge)}
          parts={{
            task: <Name k={`task ${task}`}>{nameOf(task, words)}</Name>,
            victim: end?.name === "OomKill" && (
              <Name k={`task ${end.values.task}`}>{nameOf(end.values.task, words)}</Name>
            ),
          }}
        />
      </p>
      <ol className="life-steps">
        <Item record={begun} words={words} />
        {restarts.map((record) => (
          <Item key={record.step} record={record} words={words} />
        ))}
        {oom && <Item record={oom} words={words} />}
        {end && <Item record={end} words={words} />}
      </ol>
      <Titled title={CHARGE_PART.scannedPages(reclaims)}>
        {pages.scanned > 0 ? (
          <FunnelTable funnel={pages} label={CHARGE_PART.funnel} />
        ) : (
          <p>{CHARGE_PART.nothingScanned}</p>
        )}
      </Titled>
      <Remainders charge={charge} view={view} />
    </>
  );
}

function outcome({ end, oom }: Charge): string {
  switch (end?.name) {
    case "ChargeRoom":
      return CHARGE_PART.foundRoom;
    case "ChargeFails":
      return CHARGE_PART.failed;
    case "MemcgNobody":
      return CHARGE_PART.nobody;
    case "OomKill":
      return CHARGE_PART.killed;
    default:
      return oom ? CHARGE_PART.runsOomKiller : CHARGE_PART.reclaims;
  }
}

/** What is left in the cgroup at this moment, and what it takes to reclaim it. */
function Remainders({ charge, view }: { charge: Charge; view: View }) {
  const group = groupOf(charge, view);
  if (!group) return null;
  return (
    <Titled title={CHARGE_PART.leftIn(group.path)}>
      <ul className="charge-left">
        {remaindersOf(group, view).map(({ obstacle, pages }) => (
          <li key={obstacle}>
            <b>{count(pages)}</b> {CHARGE_PART.obstacles[obstacle]}
          </li>
        ))}
      </ul>
    </Titled>
  );
}

function Item({ record, words }: { record: Rec; words: Words }): ReactNode {
  const { sentence, name } = logEntry(record, words);
  return (
    <li>
      <span className="when">
        <When step={record.step} time_ns={record.time_ns} />
      </span>
      <br />
      {sentence ? <Sentence spans={sentence} /> : name}
    </li>
  );
}
