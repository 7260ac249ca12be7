import { lazy, type ReactNode, Suspense } from "react";
import { costsOf } from "../draw/per-page";
import { dirtyScale, efficiency, stretches } from "../draw/reclaim";
import { count, duration, size } from "../engine/format";
import type { DeviceView, Info, NodeView, View, WritebackView } from "../engine/types";
import { Bar, whole } from "../ui/bar";
import { afterFirstFigure } from "../ui/first-figure";
import { RichText } from "../ui/rich-text";
import { Roll } from "../ui/roll";
import { Swatch } from "../ui/swatch";
import { IO } from "./words";

const Costs = lazy(async () => ({ default: (await fetchCosts()).Costs }));
const Losses = lazy(async () => ({ default: (await fetchCosts()).Losses }));
const fetchCosts = () => afterFirstFigure(() => import("./Costs"));

/** Below the tasks: scanned and freed pages, dirty pages, swap, devices. */
export function Io({ info, view }: { info: Info; view: View }) {
  const { writeback, devices } = view;
  const scans = scanned(view);
  const hasDirty = devices.length > 0 || writeback.dirty + writeback.writeback > 0;
  // An empty part keeps its space, so that nothing moves later in the run.
  if (!hasDirty && scans.every((scan) => scan.scanned === 0)) return <div className="io" />;
  return (
    <section className="io" aria-label={IO.reclaimAndDevices}>
      <Scans scans={scans} nodes={view.nodes} />
      <Suspense fallback={costsOf(view.counters) && <Awaited />}>
        <Costs view={view} />
      </Suspense>
      {hasDirty && <Dirty writeback={writeback} page_size={info.page_size} />}
      {writeback.swap_total > 0 && <Swap writeback={writeback} page_size={info.page_size} />}
      {devices.map((device) => (
        <Device key={device.name} device={device} />
      ))}
      <Suspense
        fallback={view.nodes.map(
          ({ id, first_fallback }) => first_fallback && <Awaited key={id} />,
        )}
      >
        <Losses view={view} />
      </Suspense>
    </section>
  );
}

/** Space reserved for a part whose code is still loading, so that nothing moves when it arrives. */
const Awaited = () => <div className="part costs" />;

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

/** Dirty pages and pages under writeback, compared with the two limits. */
function Dirty({ writeback, page_size }: { writeback: WritebackView; page_size: number }) {
  const { dirty, background, limit } = writeback;
  const scale = dirtyScale(dirty, writeback.writeback, limit);
  const [first, second] = stretches([dirty, writeback.writeback], scale);
  const isOver = dirty + writeback.writeback > limit;
  const isWriting = dirty > background;
  return (
    <Part title={IO.dirtyPages} cap={size(dirty + writeback.writeback, page_size)}>
      <Bar
        label={IO.dirtyAndUnderWriteback(dirty, writeback.writeback, background, limit)}
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
        <Swatch token="dirty" size_px={9} /> <Swatch token="writeback" size_px={9} />{" "}
        <RichText
          text={IO.dirty}
          parts={{
            dirty: <Roll value={dirty}>{count(dirty)}</Roll>,
            writeback: <Roll value={writeback.writeback}>{count(writeback.writeback)}</Roll>,
            background: <span className={isWriting ? "met" : ""}>{IO.background(background)}</span>,
            limit: <span className={isOver ? "met" : ""}>{IO.limit(limit)}</span>,
          }}
        />
      </p>
    </Part>
  );
}

function Swap({ writeback, page_size }: { writeback: WritebackView; page_size: number }) {
  const { swap_used, swap_total, swap_cache } = writeback;
  return (
    <Part title={IO.swap} cap={size(swap_total, page_size)}>
      <Bar
        label={IO.ofUsed(swap_used, swap_total)}
        parts={[{ ...whole(stretches([swap_used], swap_total)), look: "done" }]}
      />
      <p className="cap">
        <RichText
          text={IO.swapSlots(swap_total)}
          parts={{
            swap_used: <Roll value={swap_used}>{count(swap_used)}</Roll>,
            swap_cache: <Roll value={swap_cache}>{count(swap_cache)}</Roll>,
          }}
        />
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
/** Requests of each kind that a queue holds. */
const QUEUE = 128;

/** One device: the requests in flight, and those that wait in its queue. */
function Device({ device }: { device: DeviceView }) {
  const { name, model, has_swap, reads, writes, congested, flusher } = device;
  const [nowReads, nextReads] = [requests(reads, 0), requests(reads, 1)];
  const [nowWrites, nextWrites] = [requests(writes, 0), requests(writes, 1)];
  const depth = Math.max(1, device.depth);
  const inFlight = nowReads + nowWrites;
  const waits = nextReads + nextWrites;
  const parts = stretches([nowReads, nowWrites, nextReads, nextWrites], QUEUE);
  const directions = ["read", "write", "read waits", "write waits"];
  const pages = pagesOf(reads) + pagesOf(writes);
  return (
    <Part title={name} cap={`${MODELS[model] ?? model}${has_swap ? ", swap" : ""}`}>
      <Bar
        label={IO.inFlightQueued(name, inFlight, waits)}
        parts={parts.map((part, i) => ({ ...part, look: directions[i] ?? "" }))}
        marks={congested ? [{ at: device.clears_below / QUEUE, look: "limit" }] : []}
      />
      <p className="cap">
        {inFlight + waits === 0 ? (
          IO.idle
        ) : (
          <RichText
            text={IO.requests(depth, nowReads + nextReads, nowWrites + nextWrites, pages)}
            parts={{ inFlight: <b>{count(inFlight)}</b>, waits: <b>{count(waits)}</b> }}
          />
        )}
        {congested && (
          <RichText
            text={IO.congested(device.clears_below)}
            parts={{ met: (text) => <span className="met">{text}</span> }}
          />
        )}
        {device.waiting > 0 && IO.forFreeRequest(device.waiting)}
        {flusher && IO.flusher(flusher)}
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

/** Pages scanned and freed since boot, by kswapd and by direct reclaim. */
function scanned({ counters }: View): Scan[] {
  const of = (name: string) => counters.find(([counter]) => counter === name)?.[1] ?? 0;
  return [
    { who: "kswapd", scanned: of("pgscan_kswapd"), freed: of("pgsteal_kswapd") },
    { who: "direct", scanned: of("pgscan_direct"), freed: of("pgsteal_direct") },
  ];
}

function Scans({ scans, nodes }: { scans: readonly Scan[]; nodes: readonly NodeView[] }) {
  const most = Math.max(1, ...scans.map((scan) => scan.scanned));
  return (
    <Part title={IO.scannedFreed} cap={IO.pagesSinceBoot}>
      {scans.map(({ who, scanned: seen, freed }) => (
        <div key={who} className="scan-row">
          <span>{who}</span>
          <Bar
            label={IO.reclaimed(who, seen, freed)}
            parts={[
              { from: 0, to: seen / most, look: "seen" },
              { from: 0, to: Math.min(seen, freed) / most, look: "done" },
            ]}
          />
          <span className="figures">
            <b>{count(seen)}</b>, <b>{count(freed)}</b>
            {seen > 0 && <> · {efficiency(freed, seen)}</>}
          </span>
        </div>
      ))}
      <KswapdWork nodes={nodes} />
    </Part>
  );
}

/** The work of all kswapds since boot: passes over their nodes, and CPU time. */
function KswapdWork({ nodes }: { nodes: readonly NodeView[] }) {
  const passes = nodes.reduce((sum, { kswapd_passes }) => sum + kswapd_passes, 0);
  const cpu_ns = nodes.reduce((sum, { kswapd_cpu_ns }) => sum + kswapd_cpu_ns, 0);
  if (passes === 0) return null;
  return (
    <p className="cap" title={IO.kswapdCpuHelp}>
      <RichText
        text={IO.kswapdCpu(passes)}
        parts={{ passes: <b>{count(passes)}</b>, cpu_ns: <b>{duration(cpu_ns)}</b> }}
      />
    </p>
  );
}
