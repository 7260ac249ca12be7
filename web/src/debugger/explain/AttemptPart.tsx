import { type ReactNode, useRef } from "react";
import { useWorkbenchState } from "../../app/context";
import { litSelected } from "../../app/selection";
import { hex, orderWords } from "../../engine/format";
import { logEntry } from "../../engine/log-entry";
import type { Rec } from "../../engine/record";
import type { Words } from "../../engine/sentence";
import type { Info } from "../../engine/types";
import { Name } from "../../ui/lit";
import { RichText } from "../../ui/rich-text";
import { Sentence } from "../../ui/sentence";
import { AttemptSums } from "./AttemptSums";
import {
  type Attempt,
  AttemptSum,
  compactedIn,
  type AttemptPart as Part,
  sourceOf,
  tookNs,
} from "./attempt";
import { LookLine, Titled, When } from "./bits";
import type { PartProps } from "./ExplainPanel";
import { useSearch } from "./hooks";
import { SoFar } from "./SoFar";
import { addAttempts, findAttempt, type SearchContext } from "./search";
import { taskOf } from "./WaitPart";
import { ATTEMPT_PART } from "./words";

/**
 * How a request for a huge page was served: the request of the selected task or the last request,
 * and totals.
 */
export function AttemptPart(props: PartProps) {
  const { info, frame, words, log, isPaused } = props;
  const { step } = frame.view.position;
  const task = taskOf(useWorkbenchState(litSelected));
  const key = isPaused ? `${step} ${task ?? ""}` : null;
  const found = useSearch(key, log, (looking) => findAttempt(looking, step, task));
  const attempt = found.value && found.value.begun.step <= step ? found.value : null;
  return (
    <div className="wait attempt">
      <LookLine {...found} goOn={found.again}>
        {found.of !== null && !attempt && noneWords(task, words)}
      </LookLine>
      {attempt && <AttemptDetails attempt={attempt} info={info} words={words} />}
      {attempt && <All {...props} />}
    </div>
  );
}

const noneWords = (task: number | null, { tasks }: Words): string =>
  task === null
    ? ATTEMPT_PART.noTaskHasRequested
    : ATTEMPT_PART.hasRequestedNoBlock(tasks.get(task)?.name);

function All(props: PartProps) {
  // The sum is extended from the last step that it covers; a step back starts anew.
  const known = useRef<{ sum: AttemptSum; step: number } | null>(null);
  const add = async (looking: SearchContext, step: number) => {
    const before = known.current;
    known.current = null;
    const from = before && before.step <= step ? before : { sum: new AttemptSum(), step: 0 };
    await addAttempts(looking, from.sum, from.step, step);
    known.current = { sum: from.sum, step };
    return from.sum.took;
  };
  return (
    <Titled title={ATTEMPT_PART.allAttemptsSoFar}>
      <SoFar {...props} about={ATTEMPT_PART.findAllAttempts} ask={ATTEMPT_PART.findThem} add={add}>
        {(took) => <AttemptSums took={took} />}
      </SoFar>
    </Titled>
  );
}

function AttemptDetails({ attempt, info, words }: { attempt: Attempt; info: Info; words: Words }) {
  const { begun, parts, end } = attempt;
  const took = tookNs(attempt);
  return (
    <>
      <p className="about">
        <RichText
          text={took === null ? ATTEMPT_PART.requests : ATTEMPT_PART.requested}
          parts={{
            task: (
              <Name k={`task ${begun.task}`}>
                {words.tasks.get(begun.task)?.name ?? ATTEMPT_PART.task(begun.task)}
              </Name>
            ),
            order: <b>{orderWords(begun.values.order, info.page_size)}</b>,
          }}
        />
        {took !== null && ` ${ATTEMPT_PART.after(outcome(attempt), took)}`}
      </p>
      <ol className="life-steps">
        <Item record={begun} words={words} />
        {parts.map((part) => (
          <PartItem key={recordOf(part).step} part={part} words={words} />
        ))}
        {end && (
          <Item record={end} words={words}>
            {end.values.pfn === null ? (
              ATTEMPT_PART.noBlockWasAllocated
            ) : (
              <RichText
                text={ATTEMPT_PART.blockAtIsAllocated}
                parts={{ pfn: <Name k={`page ${end.values.pfn}`}>{hex(end.values.pfn)}</Name> }}
              />
            )}
          </Item>
        )}
      </ol>
    </>
  );
}

/** A short description of how the request was served. */
function outcome(attempt: Attempt): string {
  const { moved } = compactedIn(attempt);
  const pages = moved > 0 ? ATTEMPT_PART.moved(moved) : "";
  switch (sourceOf(attempt)) {
    case "free":
      return ATTEMPT_PART.freeBlockWasAvailable;
    case "compaction":
      return ATTEMPT_PART.directCompactionFreedBlock(pages);
    case "reclaim":
      return ATTEMPT_PART.reclaimFreedBlock(pages);
    default:
      return ATTEMPT_PART.itFailed(pages);
  }
}

const recordOf = (part: Part): Rec => (part.kind === "decision" ? part.record : part.begun);

function PartItem({ part, words }: { part: Part; words: Words }) {
  if (part.kind === "decision") return <Item record={part.record} words={words} />;
  const { begun, runs, moved, failed, end } = part;
  const pages = ATTEMPT_PART.movedFailed(moved, failed);
  if (part.kind === "compaction") {
    const ended = end && logEntry(end, words).sentence;
    return (
      <Item record={begun} words={words}>
        {ATTEMPT_PART.runsPages(runs, pages)} {ended && <Sentence spans={ended} />}
      </Item>
    );
  }
  const freed = part.end
    ? ATTEMPT_PART.freed(part.end.values.nr_reclaimed)
    : ATTEMPT_PART.inProgress;
  return (
    <Item record={begun} words={words}>
      {ATTEMPT_PART.directReclaimOfCompaction(freed, runs, pages)}
    </Item>
  );
}

function Item({ record, words, children }: { record: Rec; words: Words; children?: ReactNode }) {
  const { sentence, name } = logEntry(record, words);
  return (
    <li>
      <span className="when">
        <When step={record.step} time_ns={record.time_ns} />
      </span>
      <br />
      {children ?? (sentence ? <Sentence spans={sentence} /> : name)}
    </li>
  );
}
