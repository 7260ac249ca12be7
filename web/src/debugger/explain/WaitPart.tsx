import type { ReactNode } from "react";
import { useWorkbenchState } from "../../app/context";
import { litSelected } from "../../app/selection";
import { duration } from "../../engine/format";
import { logEntry } from "../../engine/log-entry";
import type { Rec } from "../../engine/record";
import type { Words } from "../../engine/sentence";
import type { View } from "../../engine/types";
import { Name } from "../../ui/lit";
import { RichText } from "../../ui/rich-text";
import { Sentence } from "../../ui/sentence";
import { LookLine, When } from "./bits";
import type { PartProps } from "./ExplainPanel";
import { useSearch } from "./hooks";
import { findWait } from "./search";
import { type Wait, wakerOf } from "./wait";
import { WAIT_PART } from "./words";

/** A wait in reclaim, of the selected task or the last one: the cause and the end of the wait. */
export function WaitPart({ frame, words, log, isPaused }: PartProps) {
  const { view } = frame;
  const { step } = view.position;
  const selected = useWorkbenchState(litSelected);
  const task = taskOf(selected);
  const key = isPaused ? `${step} ${task ?? ""}` : null;
  const found = useSearch(key, log, (looking) => findWait(looking, step, task));
  const wait = found.value && found.value.begun.step <= step ? found.value : null;
  return (
    <div className="wait">
      <LookLine {...found} goOn={found.again}>
        {found.of !== null && !wait && noneWords(task, words)}
      </LookLine>
      {wait && <WaitDetails wait={wait} view={view} words={words} />}
    </div>
  );
}

/** The first selected task. */
export function taskOf(selected: readonly string[]): number | null {
  const key = selected.find((each) => each.startsWith("task "));
  return key === undefined ? null : Number(key.slice("task ".length));
}

const noneWords = (task: number | null, { tasks }: Words): string =>
  task === null ? WAIT_PART.noneYet : WAIT_PART.noneOf(tasks.get(task)?.name);

function WaitDetails({ wait, view, words }: { wait: Wait; view: View; words: Words }) {
  const { task, why, begun, wake, end, report } = wait;
  const waker = wakerOf(wait);
  return (
    <>
      <p className="about">
        <RichText
          text={outcome(wait)}
          parts={{
            task: (
              <Name k={`task ${task}`}>{words.tasks.get(task)?.name ?? WAIT_PART.task(task)}</Name>
            ),
            waker: waker !== null && (
              <Name k={`task ${waker}`}>
                {words.tasks.get(waker)?.name ?? WAIT_PART.task(waker)}
              </Name>
            ),
          }}
        />
      </p>
      <ol className="life-steps">
        {why && <Item record={why} words={words} />}
        <Item record={begun} words={words} />
        {wake && <Item record={wake} words={words} />}
        {end && <Item record={end} words={words} />}
        {report && (
          <Item record={report} words={words}>
            {reportWords(report)}
          </Item>
        )}
        {!end && !report && <Left task={task} view={view} />}
      </ol>
    </>
  );
}

/** The result in a sentence. */
function outcome(wait: Wait): string {
  const { end, report, begun } = wait;
  if (!end) {
    if (report) return WAIT_PART.continuedAtOnceThere;
    return begun.name === "WaitIffCongested" ? WAIT_PART.checksWhetherItMustWait : WAIT_PART.waits;
  }
  return wakerOf(wait) === null ? WAIT_PART.waitedUntilTimeout : WAIT_PART.wasWokenBy;
}

function Item({ record, words, children }: { record: Rec; words: Words; children?: ReactNode }) {
  const { taskName, sentence, name } = logEntry(record, words);
  return (
    <li>
      <span className="when">
        <When step={record.step} time_ns={record.time_ns} /> {taskName}
      </span>
      <br />
      {children ?? (sentence ? <Sentence spans={sentence} /> : name)}
    </li>
  );
}

function reportWords(report: Rec): string {
  if (!("usec_timeout" in report.values)) return report.name;
  const { usec_timeout, usec_delayed } = report.values;
  return `${report.name}: ${duration(usec_delayed * 1000)} (timeout ${duration(usec_timeout * 1000)})`;
}

/** The maximum remaining time of the wait. */
function Left({ task, view }: { task: number; view: View }) {
  const waiters = view.nodes.flatMap(({ queues }) => queues.flatMap(({ waiters: all }) => all));
  const until_ns = waiters.find((waiter) => waiter.task === task)?.until_ns ?? null;
  if (until_ns === null) return null;
  return (
    <li className="here">{WAIT_PART.itTimesOut(Math.max(0, until_ns - view.position.time_ns))}</li>
  );
}
