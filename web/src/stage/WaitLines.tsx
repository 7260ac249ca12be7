// Waiting reclaimers, one line for each queue: on a small screen nothing larger fits next to the
// tank.

import { waitsIn } from "../draw/queues";
import { duration } from "../engine/format";
import type { QueueView, View } from "../engine/types";
import { QUEUE_TITLES } from "./queue-words";
import { WAIT_LINES } from "./words";

/** The queues of a node, each with its waiting tasks, or the number of earlier waits. */
export function WaitLines({ node, view, width }: { node: number; view: View; width: number }) {
  const queues = view.nodes.find(({ id }) => id === node)?.queues ?? [];
  return (
    <section className="wait-lines" style={{ width }} aria-label={WAIT_LINES.waitQueues}>
      {queues.length === 0 ? (
        <p>{WAIT_LINES.none}</p>
      ) : (
        <dl>
          {queues.map((queue) => (
            <div key={queue.kind} data-waits={queue.waiters.length > 0 || undefined}>
              <dt>{QUEUE_TITLES[queue.kind]}</dt>
              <dd>{whoWords(queue, view)}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}

function whoWords({ waiters, delays }: QueueView, { tasks, position }: View): string {
  const [first] = waiters;
  if (!first) return WAIT_LINES.noneNow(waitsIn(delays));
  if (waiters.length > 1) return WAIT_LINES.tasks(waiters.length);
  const name = tasks.find(({ id }) => id === first.task)?.name ?? `task ${first.task}`;
  const left = first.until_ns === null ? null : Math.max(0, first.until_ns - position.time_ns);
  return left === null ? name : `${name}, ${duration(left)}`;
}
