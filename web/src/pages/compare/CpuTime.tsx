// The CPU time of kswapd and of the other tasks in both runs, over the range of the counters.

import { useEffect, useMemo, useState } from "react";
import { useStore } from "zustand";
import { PAID_BEGUN, type PaidState, readPaid } from "../../app/paid";
import { usePair, usePairState } from "../../app/pair/context";
import type { PairMoment, Side } from "../../app/pair/pair";
import { duration, percent } from "../../engine/format";
import type { Paid } from "../../engine/paid";
import { type CpuTimes, cpuTimesOf, type SideCpuTime, totalOf } from "./cpu-times";
import { useSessions } from "./series";
import { CPU_TIME, PAGE, TABLE } from "./words";

/** Frequent steps of the machines do not start a replay each, ms. */
const SETTLED_MS = 300;

/** A button that replays the range of both runs, then the table. */
export function CpuTime({ from, to }: { from: PairMoment | null; to: PairMoment }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <section className="compare-table" aria-labelledby="compare-cpu-title">
      <h2 id="compare-cpu-title">{CPU_TIME.title}</h2>
      <p className="dim">{CPU_TIME.about}</p>
      <div className="compare-range">
        <button
          type="button"
          className="btn line"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? CPU_TIME.hide : CPU_TIME.show}
        </button>
      </div>
      {isOpen && <Answer from={from} to={to} />}
    </section>
  );
}

function Answer({ from, to }: { from: PairMoment | null; to: PairMoment }) {
  const [attempt, setAttempt] = useState(0);
  const a = usePaidOf("a", from, to, attempt);
  const b = usePaidOf("b", from, to, attempt);
  if (!a || !b) return <p role="status">{CPU_TIME.waits}</p>;
  if (a.kind === "known" && b.kind === "known") return <Table a={a.paid} b={b.paid} />;
  const failed = [a, b].find(({ kind }) => kind === "failed" || kind === "no-memory") ?? a;
  switch (failed.kind) {
    case "failed":
      return (
        <>
          <p role="alert">{CPU_TIME.failed(failed.message)}</p>
          <button type="button" className="btn line" onClick={() => setAttempt(attempt + 1)}>
            {CPU_TIME.retry}
          </button>
        </>
      );
    case "no-memory":
      return <p role="alert">{CPU_TIME.noMemory}</p>;
    default:
      return (
        <p role="status" aria-busy="true">
          {CPU_TIME.replaying(Math.min(shareOf(a), shareOf(b)))}
        </p>
      );
  }
}

const shareOf = (state: PaidState) => (state.kind === "replaying" ? state.share : 1);

/**
 * Who paid in one run, once both machines have stopped for a moment; null while one of them moves. Each
 * attempt asks again.
 */
function usePaidOf(
  side: Side,
  from: PairMoment | null,
  to: PairMoment,
  attempt: number,
): PaidState | null {
  const pair = usePair();
  const isPlaying = usePairState((state) => state.isPlaying);
  const isPaused = useStore(
    pair[side].store,
    ({ longRun, session }) => !longRun && session?.frame?.mode.kind === "paused",
  );
  const isStopped = isPaused && !isPlaying;
  const experiment = useSessions()?.[side === "a" ? 0 : 1].experiment;
  const [state, setState] = useState<PaidState | null>(null);
  const [first, last] = [from?.[side].position.step ?? 0, to[side].position.step];
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt asks again
  useEffect(() => {
    setState(isStopped ? PAID_BEGUN : null);
    if (!isStopped || experiment === undefined) return;
    let end = () => {};
    const timer = setTimeout(() => {
      end = readPaid(pair[side], { experiment, from: first, to: last }, setState);
    }, SETTLED_MS);
    return () => {
      clearTimeout(timer);
      end();
    };
  }, [pair, side, experiment, first, last, isStopped, attempt]);
  return isStopped ? state : null;
}

function Table({ a, b }: { a: Paid; b: Paid }) {
  const rows = useMemo(() => cpuTimesOf(a, b), [a, b]);
  if (rows.length === 0) return <p>{CPU_TIME.none}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable
    <section className="compare-scroll" tabIndex={0} aria-label={CPU_TIME.title}>
      <table>
        <thead>
          <tr>
            <td />
            {(["a", "b"] as const).map((side) => (
              <th key={side} scope="colgroup" colSpan={3}>
                {PAGE.machine[side]}
              </th>
            ))}
            <td />
          </tr>
          <tr>
            <th scope="col">{CPU_TIME.task}</th>
            {[TABLE.a, TABLE.b].flatMap((side) =>
              [CPU_TIME.user, CPU_TIME.kernel, CPU_TIME.share].map((words) => (
                <th key={side + words} scope="col">
                  {words}
                </th>
              )),
            )}
            <th scope="col">{TABLE.difference}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={row.task} row={row} lengths_ns={[a.length_ns, b.length_ns]} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Row({ row, lengths_ns }: { row: CpuTimes; lengths_ns: readonly [number, number] }) {
  const by = totalOf(row.b) - totalOf(row.a);
  const sign = by > 0 ? "+" : "\u2212";
  return (
    <tr>
      <th scope="row">{row.task}</th>
      <Cells time={row.a} length_ns={lengths_ns[0]} />
      <Cells time={row.b} length_ns={lengths_ns[1]} />
      <td>{by === 0 ? CPU_TIME.same : `${sign}${duration(Math.abs(by))}`}</td>
    </tr>
  );
}

function Cells({ time, length_ns }: { time: SideCpuTime; length_ns: number }) {
  if (!time)
    return (
      <td colSpan={3} className="compare-dim">
        {CPU_TIME.absent}
      </td>
    );
  return (
    <>
      <td className="compare-dim">{duration(time.user_ns)}</td>
      <td className="compare-dim">{duration(time.kernel_ns)}</td>
      <td>
        <b>{percent(totalOf(time) / Math.max(1, length_ns))}</b>
      </td>
    </>
  );
}
