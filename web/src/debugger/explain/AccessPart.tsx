import { useWorkbenchState } from "../../app/context";
import { litSelected } from "../../app/selection";
import { count } from "../../engine/format";
import { logEntry } from "../../engine/log-entry";
import type { Rec } from "../../engine/record";
import type { Words } from "../../engine/sentence";
import type { Info, View } from "../../engine/types";
import { Name } from "../../ui/lit";
import { RichText } from "../../ui/rich-text";
import { Sentence } from "../../ui/sentence";
import { type Access, type AccessQueue, queuesBetween } from "./access";
import { LookLine, Titled, When } from "./bits";
import type { PartProps } from "./ExplainPanel";
import { useSearch } from "./hooks";
import { findAccess } from "./search";
import { taskOf } from "./WaitPart";
import { ACCESS_PART } from "./words";

/**
 * The last access of the selected task, or of any task, with its cost and the reasons for the cost.
 */
export function AccessPart({ info, frame, words, log, isPaused }: PartProps) {
  const { view } = frame;
  const { step } = view.position;
  const task = taskOf(useWorkbenchState(litSelected));
  const key = isPaused ? `${step} ${task ?? ""}` : null;
  const found = useSearch(key, log, (looking) => findAccess(looking, step, task));
  const access = found.value && found.value.made.step <= step ? found.value : null;
  return (
    <div className="access">
      <LookLine {...found} goOn={found.again}>
        {found.of !== null && !access && noneWords(task, words)}
      </LookLine>
      {access && <AccessDetails {...{ access, info, view, words }} />}
    </div>
  );
}

const noneWords = (task: number | null, { tasks }: Words): string =>
  task === null ? ACCESS_PART.noneYet : ACCESS_PART.noneOf(tasks.get(task)?.name);

function AccessDetails({
  access,
  info,
  view,
  words,
}: {
  access: Access;
  info: Info;
  view: View;
  words: Words;
}) {
  const { task, made, waited } = access;
  const isRemote = made.name === "AccessRemote";
  const { node } = made.values;
  const from = isRemote ? made.values.from : node;
  const queues = queuesBetween(view.nodes, node, from);
  const remote = othersNode(info, from);
  return (
    <>
      <p className="about">
        <RichText
          text={ACCESS_PART.onCpu(made.cpu)}
          parts={{
            name: (
              <Name k={`task ${task}`}>
                {words.tasks.get(task)?.name ?? ACCESS_PART.task(task)}
              </Name>
            ),
            b: <b>{isRemote ? ACCESS_PART.remoteAccess : ACCESS_PART.localAccess}</b>,
          }}
        />
      </p>
      <ol className="life-steps">
        <Item record={made} words={words} />
      </ol>
      <Titled title={ACCESS_PART.costOfThisAccess}>
        <table className="sum">
          <tbody>
            <Cost
              where={ACCESS_PART.itsOwnNode}
              ns={isRemote ? made.values.local : made.values.ns}
              isHere={!isRemote}
            />
            {isRemote && (
              <Cost where={`node ${node}`} ns={made.values.ns} isHere over={made.values.local} />
            )}
          </tbody>
        </table>
        {!isRemote && remote !== null && <p className="else">{ACCESS_PART.pageAndCpu}</p>}
      </Titled>
      <Titled title={ACCESS_PART.queuesOnItsPath}>
        <table className="sum">
          <tbody>
            {queues.map((queue) => (
              <tr key={queue.kind}>
                <td>{queueWords(queue)}</td>
                <td>
                  {queue.queue_ns === 0 ? ACCESS_PART.noWait : ACCESS_PART.wait(queue.queue_ns)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        <p className="else">{busyWords(queues)}</p>
      </Titled>
      {waited && (
        <Titled title={ACCESS_PART.itsLastWaitAfter}>
          <ol className="life-steps">
            <Item record={waited} words={words} />
          </ol>
        </Titled>
      )}
    </>
  );
}

/** Another node, if there is one. */
const othersNode = ({ nodes }: Info, from: number): number | null =>
  nodes.find(({ id }) => id !== from)?.id ?? null;

function Cost({
  where,
  ns,
  isHere,
  over,
}: {
  where: string;
  ns: number;
  isHere: boolean;
  over?: number;
}) {
  const figure = `${count(ns)}\u202fns`;
  return (
    <tr>
      <td>{ACCESS_PART.whereFrom(where)}</td>
      <td>{isHere ? <b>{figure}</b> : figure}</td>
      <td>
        {isHere && (over === undefined ? ACCESS_PART.here : ACCESS_PART.hereNsMore(ns - over))}
      </td>
    </tr>
  );
}

/** The name of a queue on the access's path. */
const queueWords = ({ kind, node, from }: AccessQueue): string =>
  kind === "memory"
    ? ACCESS_PART.memoryOfNode(node)
    : kind === "direction"
      ? ACCESS_PART.directionToCpusOfNode(from)
      : ACCESS_PART.linkBetweenNodesAnd(node, from);

const longestWords = (queue: AccessQueue): string =>
  queue.kind === "direction"
    ? ACCESS_PART.directionFromMemory(queue.node, queue.from)
    : queueWords(queue);

/** The queue that would delay an access the longest. */
function busyWords(queues: readonly AccessQueue[]): string {
  const longest = queues.reduce<AccessQueue | null>(
    (most, queue) => (queue.queue_ns > (most?.queue_ns ?? 0) ? queue : most),
    null,
  );
  return longest === null
    ? ACCESS_PART.nothingIsQueuedAccess
    : ACCESS_PART.accessMadeNowWaits(longest.queue_ns, longestWords(longest));
}

function Item({ record, words }: { record: Rec; words: Words }) {
  const { taskName, sentence, name } = logEntry(record, words);
  return (
    <li>
      <span className="when">
        <When step={record.step} time_ns={record.time_ns} /> {taskName}
      </span>
      <br />
      {sentence ? <Sentence spans={sentence} /> : name}
    </li>
  );
}
