// Captured runs of real kernels and their twins, counter by counter.

import { useState } from "react";
import { count } from "../../engine/format";
import type { CounterRow, NotRun, Truth, TwinRow } from "../../engine/load-truth";
import { RichText } from "../../ui/rich-text";
import { Cgroups } from "./Cgroups";
import { Strip } from "./Strip";
import { TwinGenerations } from "./TwinGenerations";
import { captureOf, isFar, isTwin, MANY, ofWords, percentOf, ratioWords, TWINS } from "./words";

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
      <h2 id="twins">{TWINS.runsOfRealKernelsRepeated}</h2>
      <p className="stand">
        <RichText text={TWINS.about(MANY)} parts={{ of: <b>{ofWords(near, large)}</b> }} />
      </p>
      <ErrorByKernel score={score} />
      <p className="about">{TWINS.tracesAreNotCompared}</p>
      <ul className="twins">
        {run.map((twin) => (
          <li key={twin.name}>
            <Twin twin={twin} />
          </li>
        ))}
      </ul>
      {left.length > 0 && (
        <>
          <h3>{TWINS.notRepeatedYet}</h3>
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
        <RichText
          text={TWINS.meanErrorOf(all.counters)}
          parts={{ share: <b>{percentOf(all.mean)}</b>, share2: <b>{percentOf(all.median)}</b> }}
        />
      </p>
      <p className="about">{TWINS.errorOfCounter(MANY, all.absent)}</p>
      <div className="scroll by-kernel">
        <table className="counters">
          <caption>{TWINS.errorByKernel}</caption>
          <thead>
            <tr>
              <th scope="col">{TWINS.kernel}</th>
              <th scope="col">{TWINS.counters}</th>
              <th scope="col">{TWINS.meanError}</th>
              <th scope="col">{TWINS.medianError}</th>
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
        <RichText
          text={TWINS.twin(
            percentOf(twin.score.mean),
            real?.toFixed(1) ?? "",
            simulated.toFixed(1),
            twin.finished,
          )}
          parts={{
            of: <b>{ofWords(twin.near, twin.large)}</b>,
          }}
        />
      </p>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>{TWINS.allCountersOf(workload)}</summary>
        {isOpen && <Counters counters={twin.counters} assumed={twin.assumed} />}
        {isOpen && twin.cgroups && <Cgroups cgroups={twin.cgroups} />}
      </details>
      {twin.generations && twin.generations.rows.length > 0 && (
        <TwinGenerations workload={workload} generations={twin.generations} />
      )}
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
      {assumed.length > 0 && <p className="about">{TWINS.assumed(assumed.join("; "))}</p>}
      <div className="scroll">
        <table className="counters">
          <thead>
            <tr>
              <th scope="col">{TWINS.counter}</th>
              <th scope="col">{TWINS.real}</th>
              <th scope="col">{TWINS.simulated}</th>
              <th scope="col">{TWINS.ratio}</th>
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
            {isOff && <span className="sr"> {TWINS.beyond}</span>}
          </>
        ) : (
          TWINS.absent(absent)
        )}
      </td>
    </tr>
  );
}
