import { useEffect, useState } from "react";
import { endsOf, gateBar, isOpen, type Sleeps, sleepBars, waitsIn } from "../draw/queues";
import { waitLeft } from "../draw/reclaim";
import { count, duration } from "../engine/format";
import type { EndedView, GateView, QueueView, TaskView, View, WaiterView } from "../engine/types";
import { Bar } from "../ui/bar";
import { usePhone } from "../ui/fit";
import { Name } from "../ui/lit";
import { RichText } from "../ui/rich-text";
import { type FaceGroup, FaceTabs } from "./FaceTabs";
import { type PublishedSleeps, publishedSleeps } from "./published-sleeps";
import { gateWords, QUEUE_TITLES, sleepWords } from "./queue-words";
import { Ring } from "./Ring";
import { QUEUES } from "./words";

/** Width of a row without its tokens, and of each token; tokens that do not fit are counted. */
const BESIDE_PX = 250;
const TOKEN_PX = 78;
const NAME_PX = 112;
/** With more tokens than this there is no room for remaining times. */
const MOST_TIMED = 1;
const BARS = { width: 128, height: 22 };

interface QueuesProps {
  readonly node: number;
  readonly view: View;
  /** The available width. */
  readonly width_px: number;
}

/**
 * The queues in which a node's reclaimers wait: the waiting tasks, what would wake them, and how
 * long earlier waits took.
 */
export function Queues({ node, view, width_px }: QueuesProps) {
  const published = usePublished();
  const queues = view.nodes.find(({ id }) => id === node)?.queues ?? [];
  if (queues.length === 0) {
    return <p className="queues none cap">{QUEUES.none}</p>;
  }
  return (
    <ul className="queues">
      {queues.map((queue) => (
        <Queue
          key={queue.kind}
          {...{ queue, view }}
          most={Math.max(1, Math.floor((width_px - BESIDE_PX) / TOKEN_PX))}
          published={published[queue.kind] ?? []}
        />
      ))}
    </ul>
  );
}

/** The queues instead of the lists, with tabs that lead back to the lists if there are any. */
export function QueuesFace({ place, ...of }: QueuesProps & { place: FaceGroup | null }) {
  return (
    <div className="lists waits-face">
      <div className="hd">
        {place ? <FaceTabs of={place} /> : <span className="label">{QUEUES.waitQueues}</span>}
        <SleepsKey />
      </div>
      <Queues {...of} />
    </div>
  );
}

/** The queues of all nodes, below everything else. */
export function QueuesPart({ view, width_px }: Omit<QueuesProps, "node">) {
  // If there is little width, the name of a queue stands above its tokens.
  const room_px = usePhone() ? width_px + NAME_PX : width_px;
  return (
    <section className="queues-part" aria-label={QUEUES.waitQueues}>
      {view.nodes.map(({ id }) => (
        <div key={id}>
          <div className="hd">
            <h2 className="label">
              {QUEUES.waitQueues}
              {view.nodes.length > 1 && <> {QUEUES.ofNode(id)}</>}
            </h2>
            <SleepsKey />
          </div>
          <Queues node={id} view={view} width_px={room_px} />
        </div>
      ))}
    </section>
  );
}

/** A legend for the bars of sleeps. */
function SleepsKey() {
  return (
    <span className="cap sleeps-key">
      <svg width="8" height="10" aria-hidden="true">
        <rect x="1" y="1" width="6" height="8" className="here" />
      </svg>
      {QUEUES.inThisRun}
      <svg width="8" height="10" aria-hidden="true">
        <rect x="1.5" y="1.5" width="5" height="7" className="published" />
      </svg>
      {QUEUES.publishedLogScale}
    </span>
  );
}

function usePublished(): PublishedSleeps {
  const [published, setPublished] = useState<PublishedSleeps>({});
  useEffect(() => {
    let isHere = true;
    publishedSleeps().then((loaded) => isHere && setPublished(loaded));
    return () => {
      isHere = false;
    };
  }, []);
  return published;
}

function Queue({
  queue,
  view,
  most,
  published,
}: {
  queue: QueueView;
  view: View;
  /** The number of tokens that fit. */
  most: number;
  published: Sleeps;
}) {
  const { kind, name, waiters, gate, last, timeout_us } = queue;
  // If others still wait, the wait that has just ended replaces the gate's numbers for this step.
  const hasJustEnded = waiters.length > 0 && last?.step === view.position.step;
  return (
    <li className="queue" data-kind={kind}>
      <h3 className="label" title={name || undefined}>
        {QUEUE_TITLES[kind]}
      </h3>
      <Waiting {...{ queue, view, most }} />
      <div className="gate cap">
        <p>
          {hasJustEnded && last ? (
            <Last last={last} view={view} />
          ) : (
            gateWords(queue, nameIn(view, gate?.task ?? null))
          )}
        </p>
        <GateMark gate={gate} queue={queue} />
      </div>
      <SleepsFigure sleeps={queue.delays} {...{ timeout_us, published }} />
      <p className="sr">
        {waiters.length === 1 ? QUEUES.taskWaits : QUEUES.tasksWait(waiters.length)}
      </p>
    </li>
  );
}

const nameIn = ({ tasks }: View, id: number | null): string | null =>
  id === null ? null : (tasks.find((task) => task.id === id)?.name ?? `task ${id}`);

/** The tasks in a queue; if it is empty, how the last wait ended. */
function Waiting({
  queue: { waiters, last },
  view,
  most,
}: {
  queue: QueueView;
  view: View;
  most: number;
}) {
  const visible = waiters.slice(0, most);
  const more = waiters.length - visible.length;
  return (
    <span className="waiters">
      {visible.map((waiter) => (
        <Token
          key={waiter.task}
          waiter={waiter}
          view={view}
          isTimed={waiters.length <= MOST_TIMED}
        />
      ))}
      {more > 0 && (
        <span className="cap">
          <span aria-hidden="true">+{more}</span>
          <span className="sr">{QUEUES.andMore(more)}</span>
        </span>
      )}
      {waiters.length === 0 && last && <Last last={last} view={view} />}
    </span>
  );
}

function Token({ waiter, view, isTimed }: { waiter: WaiterView; view: View; isTimed: boolean }) {
  const task = view.tasks.find(({ id }) => id === waiter.task);
  const now_ns = view.position.time_ns;
  const left_ns = waiter.until_ns === null ? null : Math.max(0, waiter.until_ns - now_ns);
  const since_ns = waiter.since_ns ?? task?.waits_since_ns ?? null;
  const left = waitLeft(now_ns, since_ns, waiter.until_ns);
  return (
    <Name k={`task ${waiter.task}`} className={`pill ${look(task, view)}`}>
      {task?.name ?? QUEUES.task(waiter.task)}
      {left !== null && <Ring left={left} />}
      {left_ns === null && !isTimed && <small aria-hidden="true">{QUEUES.awake}</small>}
      <small className={isTimed ? undefined : "sr"}>
        {left_ns === null ? woken(waiter, view) : QUEUES.left(left_ns)}
      </small>
    </Name>
  );
}

const look = (task: TaskView | undefined, { ran }: View) => (task?.id === ran ? "on" : "");

const woken = ({ waker }: WaiterView, view: View): string =>
  waker === null ? "timed out" : `woken by ${nameIn(view, waker)}`;

/** The last wait that ended: the task, and the task or event that ended it. */
function Last({ last: { task, waker, delayed_us }, view }: { last: EndedView; view: View }) {
  const lasted = duration(delayed_us * 1000);
  return (
    <span className="cap last">
      <Name k={`task ${task}`}>{nameIn(view, task)}</Name>{" "}
      {waker === null ? (
        delayed_us === 0 ? (
          QUEUES.continuedAtOnce
        ) : (
          QUEUES.sleptTimedOut(lasted)
        )
      ) : (
        <RichText
          text={QUEUES.wokenByAfter(lasted)}
          parts={{ nameIn: <Name k={`task ${waker}`}>{nameIn(view, waker)}</Name> }}
        />
      )}
    </span>
  );
}

function GateMark({ gate, queue }: { gate: GateView | null; queue: QueueView }) {
  const bar = gate ? gateBar(gate) : { filled: 0, mark: null };
  const isMet = gate !== null && isOpen(queue.kind, gate);
  return (
    <Bar
      label={gate ? QUEUES.comparedWith(gate.value, gate.against) : QUEUES.nothingToCompareNow}
      parts={[{ from: 0, to: bar.filled, look: isMet ? "done" : "part" }]}
      marks={bar.mark === null ? [] : [{ at: bar.mark, look: "limit" }]}
    />
  );
}

function SleepsFigure({
  sleeps,
  published,
  timeout_us,
}: {
  sleeps: Sleeps;
  published: Sleeps;
  timeout_us: number;
}) {
  const {
    here,
    published: there,
    axis_y,
    most_us,
  } = sleepBars(sleeps, published, timeout_us, BARS);
  const { none, whole } = endsOf(sleeps, timeout_us);
  return (
    <figure className="sleeps">
      <svg
        viewBox={`0 0 ${BARS.width} ${BARS.height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={sleepWords(sleeps, published, timeout_us)}
      >
        {there.map((bar) => (
          <rect key={bar.x} {...place(bar)} className="published" />
        ))}
        {here.map((bar) => (
          <rect key={bar.x} {...place(bar)} className={bar.isEnd ? "here end" : "here"} />
        ))}
        <line x1="0" x2={BARS.width} y1={axis_y + 0.5} y2={axis_y + 0.5} className="zero-line" />
      </svg>
      <figcaption className="cap" aria-hidden="true">
        {waitsIn(sleeps) === 0 ? (
          <>
            <span>{QUEUES.noneSoFar}</span>
            <span>{duration(timeout_us * 1000)}</span>
          </>
        ) : (
          <>
            <span>
              0: <b>{count(none)}</b>
            </span>
            <span>
              {duration(timeout_us * 1000)}
              {most_us > timeout_us && "+"}: <b>{count(whole)}</b>
            </span>
          </>
        )}
      </figcaption>
    </figure>
  );
}

const place = ({
  x,
  y,
  width,
  height,
}: {
  x: number;
  y: number;
  width: number;
  height: number;
}) => ({
  x,
  y,
  width,
  height,
});
