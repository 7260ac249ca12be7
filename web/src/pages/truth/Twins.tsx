// Captured runs of real kernels and their twins, counter by counter.

import { useState } from "react";
import { count } from "../../engine/format";
import type { CounterRow, NotRun, Truth, TwinRow } from "../../engine/load-truth";
import { Strip } from "./Strip";
import { captureOf, isFar, isTwin, ofWords, percentOf, ratioWords } from "./words";

/** Changes of the real run above this number are compared; smaller ones are too few. */
const MANY = 1000;

/** Every capture: repeated ones with their counters, the others with the reason. */
export function Twins({
  twins,
  score,
}: {
  twins: readonly (TwinRow | NotRun)[];
  score: Truth["twins_score"];
}) {
  const run = twins.filter(isTwin);
  const left = twins.filter((row): row is NotRun => !isTwin(row));
  const near = run.reduce((sum, twin) => sum + twin.near, 0);
  const large = run.reduce((sum, twin) => sum + twin.large, 0);
  return (
    <section aria-labelledby="twins">
      <h2 id="twins">Runs of real kernels, repeated</h2>
      <p className="stand">
        Unmodified kernels ran a workload under emulation while their counters were kept. The engine
        runs the same machine and workload. Of the counters that changed by more than {count(MANY)}{" "}
        in the real runs, <b>{ofWords(near, large)}</b> come within a factor of 1.5 here.
      </p>
      <ErrorByKernel score={score} />
      <p className="about">
        Traces are not compared here. The engine's tests check its trace output by counting it as
        the kernel's scripts do; the scripts themselves are not run for this page.
      </p>
      <ul className="twins">
        {run.map((twin) => (
          <li key={twin.name}>
            <Twin twin={twin} />
          </li>
        ))}
      </ul>
      {left.length > 0 && (
        <>
          <h3>Not repeated yet</h3>
          <ul className="left-out">
            {left.map(({ name, not_run }) => (
              <li key={name}>
                <b>{captureOf(name).workload}</b> ({captureOf(name).where}): {not_run}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

/** The error of the engine over all counters, and by kernel. */
function ErrorByKernel({ score: { all, by_kernel } }: { score: Truth["twins_score"] }) {
  return (
    <>
      <p className="stand">
        The mean error of these {count(all.counters)} counters is <b>{percentOf(all.mean)}</b>; the
        median is <b>{percentOf(all.median)}</b>. The best published mean error of a simulator of
        Linux's page cache is 39 %.
      </p>
      <p className="about">
        The error of a counter is |simulated − real| / real, at most 100 %. Each counter of each run
        that changed by more than {count(MANY)} counts once. {count(all.absent)} counters of
        mechanisms that the engine does not have are not among them.
      </p>
      <div className="scroll by-kernel">
        <table className="counters">
          <caption>Error by kernel</caption>
          <thead>
            <tr>
              <th scope="col">kernel</th>
              <th scope="col">counters</th>
              <th scope="col">mean error</th>
              <th scope="col">median error</th>
            </tr>
          </thead>
          <tbody>
            {by_kernel.map(({ kernel, counters, mean, median }) => (
              <tr key={kernel}>
                <th scope="row">{kernel}</th>
                <td>{count(counters)}</td>
                <td>{percentOf(mean)}</td>
                <td>{percentOf(median)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function Twin({ twin }: { twin: TwinRow }) {
  const [isOpen, setOpen] = useState(false);
  const { workload, where, about } = captureOf(twin.name);
  const known = twin.counters.filter(({ absent }) => absent === undefined);
  const large = known.filter(({ real }) => Math.abs(real) > MANY);
  const { real, simulated } = twin.seconds;
  return (
    <>
      <h3>{workload}</h3>
      <p className="about">
        {about}. {where}.
      </p>
      <Strip counters={large} name={workload} />
      <p className="outcome">
        <b>{ofWords(twin.near, twin.large)}</b> counters within a factor of 1.5; mean error{" "}
        {percentOf(twin.score.mean)}; {real !== null && <>{real.toFixed(1)} s in the real run, </>}
        {simulated.toFixed(1)} s here
        {!twin.finished && ", not finished"}.
      </p>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>All counters of {workload}</summary>
        {isOpen && <Counters counters={twin.counters} assumed={twin.assumed} />}
      </details>
    </>
  );
}

function Counters({
  counters,
  assumed,
}: {
  counters: readonly CounterRow[];
  assumed: readonly string[];
}) {
  return (
    <>
      {assumed.length > 0 && <p className="about">Assumed: {assumed.join("; ")}.</p>}
      <div className="scroll">
        <table className="counters">
          <thead>
            <tr>
              <th scope="col">counter</th>
              <th scope="col">real</th>
              <th scope="col">simulated</th>
              <th scope="col">ratio</th>
            </tr>
          </thead>
          <tbody>
            {counters.map((row) => (
              <Counter key={row.name} row={row} />
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function Counter({ row: { name, real, simulated, ratio, absent } }: { row: CounterRow }) {
  const isOff = absent === undefined && Math.abs(real) > MANY && isFar(ratio);
  return (
    <tr data-off={isOff || undefined}>
      <th scope="row">
        <code>{name}</code>
      </th>
      <td>{count(real)}</td>
      <td>{simulated === null ? "" : count(simulated)}</td>
      <td>
        {absent === undefined ? (
          <>
            {isOff && <span aria-hidden="true">× </span>}
            {real === 0 ? "" : ratioWords(ratio)}
            {isOff && <span className="sr"> (beyond 1.5)</span>}
          </>
        ) : (
          `absent: ${absent}`
        )}
      </td>
    </tr>
  );
}
