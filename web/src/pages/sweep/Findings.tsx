// The results of a sweep: a figure as a chart, the runs of a point, all runs as a table, and files.

import { useEffect, useMemo, useRef, useState } from "react";
import { useStore } from "zustand";
import type { AxisValues, SweepPlan } from "../../engine/sweep";
import { svgOf } from "../../export/picture";
import { bareLink, type Presets, writeLink } from "../../link/link";
import { writeFragment } from "../../link/router";
import { saveBlob, saveText } from "../../ui/save";
import { axisWords, valueWords } from "./axes";
import { Chart, pointWords } from "./Chart";
import { axesWords, type SweepController } from "./controller";
import {
  combinations,
  figuresOf,
  figureValue,
  type PlannedAxis,
  type Point,
  pointsOf,
  type Results,
  shownAxes,
} from "./data";
import { sweepCsv, sweepParquet } from "./exports";
import * as words from "./words";

/** The maximum number of rows of the table on the page. */
const MOST_ROWS = 200;
/** The maximum number of runs of a point that are listed with a link. */
const MOST_LINKS = 40;

/** The results of the finished runs. */
export function Findings({
  controller,
  plan,
  presets,
}: {
  controller: SweepController;
  plan: SweepPlan;
  presets: Presets;
}) {
  const all = useStore(controller.store, (state) => state.results);
  const results = useMemo(
    () =>
      new Map(
        plan.jobs.flatMap(({ key }) => {
          const result = all.get(key);
          return result ? [[key, result] as const] : [];
        }),
      ),
    [all, plan],
  );
  const names = useMemo(() => figuresOf(results), [results]);
  const known = [words.TIME, words.STEPS, ...names.rows, ...names.counters];
  const [wished, setFigure] = useState<string | null>(null);
  const usual = plan.figures?.find((name) => known.includes(name));
  const figure =
    [wished, usual, "pgscan_direct"].find((name) => name && known.includes(name)) ?? words.TIME;
  const drawing = useRef<SVGSVGElement>(null);
  if (results.size === 0) return <p className="sweep-none">{words.NOTHING_YET}</p>;
  return (
    <>
      <label className="sweep-figure">
        <span>{words.FIGURE}</span>
        <select value={figure} onChange={({ target }) => setFigure(target.value)}>
          <Group title={words.OF_RUNS} names={[words.TIME, words.STEPS]} />
          <Group title={words.OF_REPORTS} names={names.rows} />
          <Group title={words.COUNTERS} names={names.counters} />
        </select>
      </label>
      <Charted key={figure} {...{ controller, plan, presets, results, figure, drawing }} />
      <Saves {...{ controller, plan, results, drawing }} />
      <RunTable {...{ controller, plan, presets, results, figure }} />
    </>
  );
}

const Group = ({ title, names }: { title: string; names: readonly string[] }) =>
  names.length > 0 && (
    <optgroup label={title}>
      {names.map((name) => (
        <option key={name} value={name}>
          {words.FIGURE_NAMES[name] ?? name}
        </option>
      ))}
    </optgroup>
  );

interface Shown {
  readonly controller: SweepController;
  readonly plan: SweepPlan;
  readonly presets: Presets;
  readonly results: Results;
  readonly figure: string;
}

function Charted({
  drawing,
  ...shown
}: Shown & { readonly drawing: React.RefObject<SVGSVGElement | null> }) {
  const { plan, results, figure } = shown;
  const [selected, select] = useState<number | null>(null);
  const [frame, width] = useWidth();
  const [x, y] = shownAxes(plan);
  const isPair = y !== undefined && y.path !== "seed";
  const axes = useMemo(
    (): readonly [PlannedAxis, PlannedAxis | null] | null => (x ? [x, isPair ? y : null] : null),
    [x, y, isPair],
  );
  const points = useMemo(
    () => (axes ? pointsOf(plan, results, figure, axes) : []),
    [plan, results, figure, axes],
  );
  if (!axes) return <p className="sweep-none">{words.NO_AXIS}</p>;
  const isEmpty = points.every(({ median }) => median === null);
  const point = selected === null ? undefined : points[selected];
  return (
    <div className="sweep-charted">
      <div ref={frame} className="sweep-frame">
        {isEmpty ? (
          <p className="sweep-none">{words.NO_VALUES}</p>
        ) : (
          width > 0 && <Chart {...{ points, axes, figure, width, selected, select, drawing }} />
        )}
      </div>
      <p className="sweep-help">{isPair ? words.HEAT_HELP : words.CHART_HELP}</p>
      <section className="sweep-point" aria-labelledby="sweep-point" aria-live="polite">
        <h3 id="sweep-point">{words.POINT}</h3>
        {point ? (
          <PointRuns key={selected} point={point} axes={axes} {...shown} />
        ) : (
          <p>{words.NO_POINT}</p>
        )}
      </section>
    </div>
  );
}

/** The width of an element, px; it follows the window. */
function useWidth() {
  const frame = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const { current } = frame;
    if (!current) return;
    const watch = new ResizeObserver(() => setWidth(Math.floor(current.clientWidth)));
    watch.observe(current);
    return () => watch.disconnect();
  }, []);
  return [frame, width] as const;
}

function PointRuns({
  point,
  axes,
  controller,
  presets,
}: Shown & { point: Point; axes: readonly [PlannedAxis, PlannedAxis | null] }) {
  return (
    <>
      <p>{pointWords(point, axes)}</p>
      <ul>
        {point.runs.slice(0, MOST_LINKS).map(({ axes: values, value }) => (
          <li key={axesWords(values)}>
            <span className="num">{words.figureWords(value)}</span>
            <OpenLink {...{ controller, presets, values }} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** A link that opens a run in the workbench. Its address is made when it is first shown. */
function OpenLink({
  controller,
  presets,
  values,
}: {
  controller: SweepController;
  presets: Presets;
  values: AxisValues;
}) {
  const [href, setHref] = useState<string | null>(null);
  const text = JSON.stringify(values);
  useEffect(() => {
    let isGone = false;
    controller
      .experiment(JSON.parse(text))
      .then((experiment) => {
        const x = writeLink(bareLink(experiment), presets);
        if (!isGone) setHref(writeFragment({ page: "workbench", x }));
      })
      .catch(() => {});
    return () => {
      isGone = true;
    };
  }, [controller, presets, text]);
  const name = axesWords(values);
  return (
    <a href={href ?? undefined} aria-label={words.openRun(name)}>
      {name || words.OPEN}
    </a>
  );
}

function Saves({
  controller,
  plan,
  results,
  drawing,
}: Omit<Shown, "figure" | "presets"> & {
  readonly drawing: React.RefObject<SVGSVGElement | null>;
}) {
  const parquet = async () => {
    const bytes = await sweepParquet(plan, results);
    saveBlob(new Blob([bytes], { type: "application/vnd.apache.parquet" }), "sweep.parquet");
  };
  const svg = () => {
    if (drawing.current) saveText(svgOf(drawing.current), "sweep.svg", "image/svg+xml");
  };
  const lines = async () => saveText(await controller.lines(), "sweep.jsonl", "application/jsonl");
  const button = (name: string, save: () => void) => (
    <button type="button" className="btn line" onClick={save}>
      {name}
    </button>
  );
  return (
    <section className="sweep-saves" aria-labelledby="sweep-saves">
      <h3 id="sweep-saves">{words.SAVES}</h3>
      {button(words.AS_LINES, () => void lines())}
      {button(words.AS_CSV, () => saveText(sweepCsv(plan, results), "sweep.csv", "text/csv"))}
      {button(words.AS_PARQUET, () => void parquet())}
      {shownAxes(plan).length > 0 && button(words.AS_SVG, svg)}
    </section>
  );
}

function RunTable({ controller, plan, presets, results, figure }: Shown) {
  const paths = plan.axes.map(({ path }) => path);
  const finished = combinations(plan).filter(({ job }) => results.has(job.key));
  const figures = [...new Set([figure, words.TIME, words.STEPS])];
  return (
    <details className="sweep-table">
      <summary>{words.TABLE}</summary>
      {finished.length > MOST_ROWS && <p>{words.tableCut(MOST_ROWS, finished.length)}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <section className="sweep-scroll" aria-label={words.TABLE} tabIndex={0}>
        <table>
          <thead>
            <tr>
              {paths.map((path) => (
                <th key={path} scope="col">
                  {axisWords(path)}
                </th>
              ))}
              {figures.map((name) => (
                <th key={name} scope="col" className="number">
                  {words.FIGURE_NAMES[name] ?? name}
                </th>
              ))}
              <th scope="col">{words.ENDED}</th>
              <th scope="col">{words.HASH}</th>
              <th scope="col">{words.OPEN}</th>
            </tr>
          </thead>
          <tbody>
            {finished.slice(0, MOST_ROWS).map(({ axes, job }) => {
              const result = results.get(job.key);
              if (!result) return null;
              return (
                <tr key={axesWords(axes)}>
                  {paths.map((path) => (
                    <td key={path}>{valueWords(path, axes[path] ?? null)}</td>
                  ))}
                  {figures.map((name) => {
                    const value = figureValue(result, name);
                    return (
                      <td key={name} className="number">
                        {value === null ? "–" : words.figureWords(value)}
                      </td>
                    );
                  })}
                  <td>{result.ended}</td>
                  <td>
                    <code>{result.hash}</code>
                  </td>
                  <td>
                    <OpenLink {...{ controller, presets, values: axes }} />
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </section>
    </details>
  );
}
