import type { ReactNode } from "react";
import { count, duration, size } from "../draw/format";
import {
  dirtyScale,
  efficiency,
  type Stretch,
  shareWords,
  stretches,
  waitLeft,
} from "../draw/reclaim";
import type { DeviceView, Info, NodeView, TaskView, View, WritebackView } from "../engine/types";
import { Name } from "../ui/lit";
import { Roll } from "../ui/roll";
import { Swatch } from "../ui/swatch";
import { Ladder } from "./Kswapd";

/** Below the tasks: who reclaims and who waits for it, devices, dirty pages, swap. */
export function Io({ info, view }: { info: Info; view: View }) {
  const direct = view.reclaimers.filter(({ kswapd }) => !kswapd);
  const waiting = view.tasks.filter(({ waits_for }) => waits_for !== "");
  const { writeback, devices } = view;
  const scans = scanned(view);
  const hasDirty = devices.length > 0 || writeback.dirty + writeback.writeback > 0;
  if (!hasDirty && direct.length + waiting.length === 0 && scans.length === 0) return null;
  return (
    <section className="io" aria-label="Reclaim and devices">
      {(hasDirty || waiting.length > 0 || direct.length > 0) && (
        <Waiting view={view} waiting={waiting} />
      )}
      {scans.length > 0 && <Scans scans={scans} />}
      {hasDirty && <Dirty writeback={writeback} page_size={info.page_size} />}
      {writeback.swap_total > 0 && <Swap writeback={writeback} page_size={info.page_size} />}
      {devices.map((device) => (
        <Device key={device.name} device={device} />
      ))}
    </section>
  );
}

function Part({ title, cap, children }: { title: string; cap?: string; children: ReactNode }) {
  return (
    <div className="part">
      <h3 className="label">
        {title} {cap && <span className="cap">{cap}</span>}
      </h3>
      {children}
    </div>
  );
}

/** Tasks in direct reclaim and tasks held up, with what would let them go on. */
function Waiting({ view, waiting }: { view: View; waiting: readonly TaskView[] }) {
  const direct = view.reclaimers.filter(({ kswapd }) => !kswapd);
  const nameOf = (id: number) => view.tasks.find((task) => task.id === id)?.name ?? `task ${id}`;
  return (
    <Part title="Reclaiming and waiting">
      {direct.length + waiting.length === 0 && <p className="cap">no task is held up</p>}
      <ul className="tokens">
        {direct.map(({ task, priority }) => (
          <li key={`direct ${task}`}>
            <Name k={`task ${task}`} className={`pill ${task === view.ran ? "on" : ""}`}>
              {nameOf(task)}
              <Ladder priority={priority} />
            </Name>{" "}
            <span className="cap">reclaims, {shareWords(priority)}</span>
          </li>
        ))}
        {waiting.map((task) => (
          <li key={task.id}>
            <Held task={task} now_ns={view.position.time_ns} />
          </li>
        ))}
      </ul>
      {view.nodes.map((node) => (
        <Gate key={node.id} node={node} />
      ))}
    </Part>
  );
}

/** A task that waits: a ring for the time left where there is a timeout. */
function Held({ task, now_ns }: { task: TaskView; now_ns: number }) {
  const left = waitLeft(now_ns, task.waits_since_ns, task.wakes_at_ns);
  return (
    <>
      <Name k={`task ${task.id}`} className="pill">
        {task.name}
        {left !== null && task.wakes_at_ns !== null && (
          <>
            <Ring left={left} />
            <small>{duration(Math.max(0, task.wakes_at_ns - now_ns))}</small>
          </>
        )}
      </Name>{" "}
      <span className="cap">waits for {task.waits_for}</span>
    </>
  );
}

const RING_PX = 12;

function Ring({ left }: { left: number }) {
  const radius = RING_PX / 2 - 1.5;
  const whole = 2 * Math.PI * radius;
  return (
    <svg width={RING_PX} height={RING_PX} aria-hidden="true">
      <circle cx="6" cy="6" r={radius} className="ring-whole" />
      <circle
        cx="6"
        cy="6"
        r={radius}
        className="ring-left"
        strokeDasharray={`${whole * left} ${whole}`}
        transform="rotate(-90 6 6)"
      />
    </svg>
  );
}

/** How near the throttled tasks of a node are to being woken. */
function Gate({ node }: { node: NodeView }) {
  const [tasks, written, goal] = node.throttled;
  if (tasks === 0) return null;
  return (
    <div className="gate">
      <Bar
        label={`${count(written)} of more than ${count(goal)} pages written`}
        parts={[{ ...whole(stretches([written], goal * 1.25)), look: "done" }]}
        marks={[{ at: goal / (goal * 1.25), look: "limit" }]}
      />
      <p className="cap">
        node {node.id} wakes all {count(tasks)} above <b>{count(goal)}</b> pages written:{" "}
        <b>{count(written)}</b> so far
      </p>
    </div>
  );
}

const whole = ([first]: Stretch[]): Stretch => first ?? { from: 0, to: 0 };

interface BarPart extends Stretch {
  readonly look: string;
}

/** A bar of amounts end to end, with marks across it. */
function Bar({
  label,
  parts,
  marks = [],
}: {
  label: string;
  parts: readonly BarPart[];
  marks?: readonly { readonly at: number; readonly look: string }[];
}) {
  return (
    <div className="hbar" role="img" aria-label={label}>
      {parts.map(({ from, to, look }) => (
        <i
          key={look}
          className={look}
          style={{ insetInlineStart: `${from * 100}%`, inlineSize: `${(to - from) * 100}%` }}
        />
      ))}
      {marks.map(({ at, look }) => (
        <i key={look} className={`mark ${look}`} style={{ insetInlineStart: `${at * 100}%` }} />
      ))}
    </div>
  );
}

/** Dirty pages and pages being written against the two limits. */
function Dirty({ writeback, page_size }: { writeback: WritebackView; page_size: number }) {
  const { dirty, background, limit } = writeback;
  const scale = dirtyScale(dirty, writeback.writeback, limit);
  const [first, second] = stretches([dirty, writeback.writeback], scale);
  const isOver = dirty + writeback.writeback > limit;
  const isWriting = dirty > background;
  return (
    <Part title="Dirty pages" cap={size(dirty + writeback.writeback, page_size)}>
      <Bar
        label={`${count(dirty)} dirty and ${count(writeback.writeback)} under writeback; background limit ${count(background)}, limit ${count(limit)}`}
        parts={[
          { ...whole(first ? [first] : []), look: "dirty" },
          { ...whole(second ? [second] : []), look: "writeback" },
        ]}
        marks={[
          { at: background / scale, look: "background" },
          { at: limit / scale, look: "limit" },
        ]}
      />
      <p className="cap">
        <Swatch token="dirty" size_px={9} /> <Roll value={dirty}>{count(dirty)}</Roll>
        {" dirty, "}
        <Swatch token="writeback" size_px={9} />{" "}
        <Roll value={writeback.writeback}>{count(writeback.writeback)}</Roll>
        {" writeback; "}
        <span className={isWriting ? "met" : ""}>background {count(background)}</span>
        {", "}
        <span className={isOver ? "met" : ""}>limit {count(limit)}</span>
      </p>
    </Part>
  );
}

function Swap({ writeback, page_size }: { writeback: WritebackView; page_size: number }) {
  const { swap_used, swap_total, swap_cache } = writeback;
  return (
    <Part title="Swap" cap={size(swap_total, page_size)}>
      <Bar
        label={`${count(swap_used)} of ${count(swap_total)} swap slots used`}
        parts={[{ ...whole(stretches([swap_used], swap_total)), look: "done" }]}
      />
      <p className="cap">
        <Roll value={swap_used}>{count(swap_used)}</Roll> of {count(swap_total)} slots,{" "}
        <Roll value={swap_cache}>{count(swap_cache)}</Roll> pages in the swap cache
      </p>
    </Part>
  );
}

/** A device's class in words: "SSD of 2021". */
const MODELS: Record<string, string> = {
  disk_2010: "disk, 2010",
  disk_2014: "disk, 2014",
  ssd_2021: "SSD, 2021",
  nvme_2021: "NVMe, 2021",
  throttled: "guest\u2019s disk",
};
/** Requests a queue takes of each kind. */
const QUEUE = 128;

/** One device: what it works on, what waits in its queue. */
function Device({ device }: { device: DeviceView }) {
  const { name, model, has_swap, reads, writes, congested, flusher } = device;
  const [nowReads, nextReads] = [requests(reads, 0), requests(reads, 1)];
  const [nowWrites, nextWrites] = [requests(writes, 0), requests(writes, 1)];
  const depth = Math.max(1, device.depth);
  const inFlight = nowReads + nowWrites;
  const waits = nextReads + nextWrites;
  const parts = stretches([nowReads, nowWrites, nextReads, nextWrites], QUEUE);
  const looks = ["read", "write", "read waits", "write waits"];
  const pages = pagesOf(reads) + pagesOf(writes);
  return (
    <Part title={name} cap={`${MODELS[model] ?? model}${has_swap ? ", swap" : ""}`}>
      <Bar
        label={`${name}: ${count(inFlight)} requests in flight, ${count(waits)} wait`}
        parts={parts.map((part, i) => ({ ...part, look: looks[i] ?? "" }))}
        marks={congested ? [{ at: device.clears_below / QUEUE, look: "limit" }] : []}
      />
      <p className="cap">
        {inFlight + waits === 0 ? (
          "idle"
        ) : (
          <>
            <b>{count(inFlight)}</b> of {count(depth)} in flight, <b>{count(waits)}</b> queued:{" "}
            {count(nowReads + nextReads)} reads, {count(nowWrites + nextWrites)} writes,{" "}
            {count(pages)} pages
          </>
        )}
        {congested && (
          <>
            {"; "}
            <span className="met">congested</span> until below {count(device.clears_below)}
          </>
        )}
        {device.waiting > 0 &&
          `; ${count(device.waiting)} ${device.waiting === 1 ? "task waits" : "tasks wait"} for a place`}
        {flusher && `; flusher: ${flusher}`}
      </p>
    </Part>
  );
}

const requests = (list: DeviceView["reads"], i: number) => list[i]?.[0] ?? 0;
const pagesOf = (list: DeviceView["reads"]) => list.reduce((sum, [, pages]) => sum + pages, 0);

interface Scan {
  readonly who: string;
  readonly scanned: number;
  readonly freed: number;
}

/** Pages scanned and freed since boot, by kswapd and by requests. */
function scanned({ counters }: View): Scan[] {
  const of = (name: string) => counters.find(([counter]) => counter === name)?.[1] ?? 0;
  return [
    { who: "kswapd", scanned: of("pgscan_kswapd"), freed: of("pgsteal_kswapd") },
    { who: "direct", scanned: of("pgscan_direct"), freed: of("pgsteal_direct") },
  ].filter((scan) => scan.scanned > 0);
}

function Scans({ scans }: { scans: readonly Scan[] }) {
  const most = Math.max(...scans.map((scan) => scan.scanned));
  return (
    <Part title="Scanned and freed" cap="pages since boot">
      {scans.map(({ who, scanned: seen, freed }) => (
        <div key={who} className="scan-row">
          <Bar
            label={`${who}: ${count(seen)} scanned, ${count(freed)} freed`}
            parts={[
              { from: 0, to: seen / most, look: "seen" },
              { from: 0, to: Math.min(seen, freed) / most, look: "done" },
            ]}
          />
          <p className="cap">
            {who}: <b>{count(seen)}</b> scanned, <b>{count(freed)}</b> freed,{" "}
            {efficiency(freed, seen)}
          </p>
        </div>
      ))}
    </Part>
  );
}
