import { useWorkbenchState } from "../../app/context";
import { litSelected } from "../../app/selection";
import { count, duration } from "../../engine/format";
import { logEntry } from "../../engine/log-entry";
import type { Rec } from "../../engine/record";
import type { Words } from "../../engine/sentence";
import type { Info, View } from "../../engine/types";
import { Name } from "../../ui/lit";
import { Sentence } from "../../ui/sentence";
import { type Access, type AccessQueue, wayOf } from "./access";
import { LookLine, Titled, When } from "./bits";
import type { PartProps } from "./ExplainPanel";
import { useSearch } from "./hooks";
import { findAccess } from "./search";
import { taskOf } from "./WaitPart";

/** The last access of the selected task, or of any task: its cost, and the reasons. */
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
  `${task === null ? "No task" : (tasks.get(task)?.name ?? "The task")} has ${
    task === null ? "" : "not "
  }accessed a page already in memory since boot.`;

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
  const way = wayOf(view.nodes, node, from);
  const remote = othersNode(info, from);
  return (
    <>
      <p className="about">
        <Name k={`task ${task}`}>{words.tasks.get(task)?.name ?? `task ${task}`}</Name> on CPU{" "}
        {made.cpu}: <b>{isRemote ? "a remote access" : "a local access"}</b>
      </p>
      <ol className="life-steps">
        <Item record={made} words={words} />
      </ol>
      <Titled title="Cost of this access without waiting">
        <table className="sum">
          <tbody>
            <Cost
              where="its own node"
              ns={isRemote ? made.values.local : made.values.ns}
              isHere={!isRemote}
            />
            {isRemote && (
              <Cost where={`node ${node}`} ns={made.values.ns} isHere over={made.values.local} />
            )}
          </tbody>
        </table>
        {!isRemote && remote !== null && (
          <p className="else">
            The page and the CPU are on the same node, so the access crosses no link.
          </p>
        )}
      </Titled>
      <Titled title="Queues on its path, at this moment">
        <table className="sum">
          <tbody>
            {way.map((queue) => (
              <tr key={queue.kind}>
                <td>{queueWords(queue)}</td>
                <td>{queue.queue_ns === 0 ? "no wait" : `wait ${duration(queue.queue_ns)}`}</td>
              </tr>
            ))}
          </tbody>
        </table>
        <p className="else">{busyWords(way)}</p>
      </Titled>
      {waited && (
        <Titled title="Its last wait after a run of accesses">
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
      <td>from {where}</td>
      <td>{isHere ? <b>{figure}</b> : figure}</td>
      <td>{isHere && (over === undefined ? "here" : `here, ${count(ns - over)}\u202fns more`)}</td>
    </tr>
  );
}

/** The name of a queue on the access's path. */
const queueWords = ({ kind, node, from }: AccessQueue): string =>
  kind === "memory"
    ? `memory of node ${node}`
    : kind === "direction"
      ? `direction to the CPUs of node ${from}`
      : `link between nodes ${node} and ${from}`;

const longestWords = (queue: AccessQueue): string =>
  queue.kind === "direction"
    ? `direction from the memory of node ${queue.node} to the CPUs of node ${queue.from}`
    : queueWords(queue);

/** The queue that would delay an access. */
function busyWords(way: readonly AccessQueue[]): string {
  const longest = way.reduce<AccessQueue | null>(
    (most, queue) => (queue.queue_ns > (most?.queue_ns ?? 0) ? queue : most),
    null,
  );
  return longest === null
    ? "Nothing is queued: an access made now does not wait."
    : `An access made now waits ${duration(longest.queue_ns)} for the ${longestWords(longest)}: earlier accesses are still being served.`;
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
