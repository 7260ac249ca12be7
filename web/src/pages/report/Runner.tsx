import { useEffect, useRef } from "react";
import { useStore } from "zustand";
import { count, counted, size as sizeWords } from "../../engine/format";
import type { Size } from "../../lessons/publications";
import { slowOf, USUAL_SPEED } from "../../runs/cost";
import { waitWords } from "../../runs/wait-words";
import { type Begun, LIVE, type ReportController, type Running } from "./controller";
import { costOf } from "./experiments";
import { isPublished, PATIENCE_S, sizesOf } from "./sizes";
import { whenWords } from "./words";

const SIZES: Readonly<Record<Size, string>> = { full: "Published size", teach: "Teaching size" };

/** Chooses a size and runs the kernels, as many in parallel as the computer has resources for. */
export function Runner({ controller }: { controller: ReportController }) {
  const { size, results, running, begun, message } = useStore(controller.store);
  const { kernels } = controller.table;
  const done = kernels.filter((kernel) => results[kernel]).length;
  const left = kernels.length - done || kernels.length;
  const box = useKept(running !== null);
  return (
    <section ref={box} tabIndex={-1} className="runner" aria-labelledby="run">
      <h2 id="run">Run it here</h2>
      <Sizes controller={controller} size={size} />
      <p className="what">
        {isPublished(controller.table) ? WHAT[size] : UNPUBLISHED[size]}{" "}
        {!running && <Estimate controller={controller} size={size} left={left} begun={begun} />}
      </p>
      {running ? (
        <Progress controller={controller} running={running} />
      ) : (
        <BrokenOff begun={begun} />
      )}
      <div className="go">
        {!running && (
          <button type="button" className="btn solid" onClick={() => void controller.run()}>
            {goWords(kernels.length, done, begun.length)}
          </button>
        )}
        <p role="status">
          {message ?? (done === kernels.length && !running ? "All kernels have run." : "")}
        </p>
      </div>
      <Kept controller={controller} />
    </section>
  );
}

/** The words on the button, which runs the missing kernels and continues interrupted ones. */
function goWords(kernels: number, done: number, begun: number): string {
  if (done === kernels) return "Run again";
  if (begun > 0) return begun === kernels - done ? "Continue" : "Continue, then run the rest";
  return done === 0
    ? `Run ${counted(kernels, "kernel")}`
    : `Run the remaining ${counted(kernels - done, "kernel")}`;
}

const WHAT: Readonly<Record<Size, string>> = {
  full: "A machine and a workload as large as the published ones. The values replace the committed ones in the table.",
  teach:
    "A much smaller machine with the workload in proportion. Only rows that do not depend on disk, CPUs or size can be compared, by the direction of their changes. The other rows keep their full-size values.",
};

/** The same for a table without a published column. */
const UNPUBLISHED: typeof WHAT = {
  full: "A machine and a workload as large as the published ones. Nobody published values for these columns: their runs are compared with each other.",
  teach:
    "A much smaller machine with the workload in proportion. All rows are compared, because nobody published values for these columns: the runs of the same small machine are compared with each other.",
};

/** The available sizes, and the reason if the report starts with the smaller one. */
function Sizes({ controller, size }: { controller: ReportController; size: Size }) {
  const sizes = sizesOf(controller.table);
  if (sizes.length === 1) {
    return (
      <p className="what">
        This table runs only at the published size: none of its rows can be compared on a smaller
        machine.
      </p>
    );
  }
  const wait_s = controller.wait_s("full", controller.table.kernels.length);
  const isLong = wait_s === null || wait_s >= PATIENCE_S;
  return (
    <>
      <fieldset className="sizes">
        <legend className="sr">Size</legend>
        {sizes.map((id) => (
          <label key={id}>
            <input
              type="radio"
              name="size"
              checked={size === id}
              onChange={() => controller.choose(id)}
            />
            {SIZES[id]}
          </label>
        ))}
      </fieldset>
      {size === "teach" && isLong && (
        <p className="what">
          The published size, at which all rows are compared, would take{" "}
          {wait_s === null ? "minutes" : waitWords(wait_s)} here.
        </p>
      )}
    </>
  );
}

/** Moves the focus when its button disappears at the start or end of a run. */
function useKept(isRunning: boolean) {
  const box = useRef<HTMLElement>(null);
  const last = useRef(isRunning);
  useEffect(() => {
    if (last.current === isRunning) return;
    last.current = isRunning;
    if (document.activeElement === document.body) box.current?.focus({ preventScroll: true });
  }, [isRunning]);
  return box;
}

/** When the results were made, and where they are stored. */
function Kept({ controller }: { controller: ReportController }) {
  const { results, keeping, running, begun } = useStore(controller.store);
  const runs = Object.values(results).map(({ run_ms }) => run_ms);
  const hasRun = keeping !== "none" && runs.length > 0;
  if (!hasRun && (begun.length === 0 || running)) return null;
  return (
    <p className="kept">
      {!hasRun
        ? ""
        : keeping === "kept"
          ? `The kernels ran ${whenWords(runs)}. This browser keeps the results for this build of the engine and lists them under Saved moments.`
          : `The kernels ran ${whenWords(runs)}. The browser could not keep the results, because the storage is full or denied: they are lost when this page closes.`}{" "}
      <button
        type="button"
        className="btn line tiny"
        disabled={running !== null}
        onClick={({ currentTarget }) => {
          // The button disappears with the results.
          currentTarget.closest<HTMLElement>("[tabindex]")?.focus({ preventScroll: true });
          void controller.forget();
        }}
      >
        {hasRun ? "Forget these results" : "Forget their progress"}
      </button>
    </p>
  );
}

/** How long the runs will take, and the numbers behind the estimate. */
function Estimate({
  controller,
  size,
  left,
  begun,
}: {
  controller: ReportController;
  size: Size;
  left: number;
  begun: readonly Begun[];
}) {
  const cost = costOf(controller.table, size);
  if (!cost) return <>No estimate is available: each kernel takes minutes.</>;
  const speed = controller.visit.speed(size);
  const abreast = controller.lanes(size, left);
  const gone = begun.reduce((sum, { share }) => sum + (share ?? 0), 0) / left;
  const seconds = (controller.wait_s(size, left) ?? 0) * (1 - gone);
  const millions = `${count((speed ?? USUAL_SPEED) / 1e6)} million`;
  return (
    <>
      This takes {waitWords(seconds)}
      {gone > 0 && " from their present progress"}: {left === 1 ? "one run" : `${left} runs of`}{" "}
      about {count(slowOf(cost) / 1e6)} million steps
      {slowOf(cost) < cost.points && ", not counting accesses to resident pages"}
      {abreast > 1 && `, ${["two", "three"][abreast - 2]} at a time,`}{" "}
      {speed === null
        ? `at ${millions} per second, as on a typical notebook`
        : `at ${millions} per second, as in the last runs here`}
      .
    </>
  );
}

/** The kernels of a run, in the table's order, with their progress. */
function Progress({
  controller,
  running,
}: {
  controller: ReportController;
  running: readonly Running[];
}) {
  const { results, left_s } = useStore(controller.store);
  const { kernels } = controller.table;
  const jobs = new Map(running.map((each) => [each.kernel, each]));
  const done = kernels.filter((kernel) =>
    jobs.has(kernel) ? jobs.get(kernel)?.doing === "done" : results[kernel],
  ).length;
  useTitle(running);
  return (
    <>
      <div className="left">
        <p>
          <b>
            {done} of {counted(kernels.length, "kernel")}
          </b>{" "}
          have run{left_s !== null && <>, {waitWords(left_s)} left</>}
        </p>
        <button type="button" className="btn line" onClick={() => controller.cancel()}>
          Cancel
        </button>
        <p>
          {controller.keeps ? "The page keeps the progress: a later run continues from there." : ""}
        </p>
      </div>
      <div className="progress">
        <ol>
          {running.map((each) => (
            <li key={each.kernel} data-doing={each.doing}>
              <b>{each.kernel}</b>
              {each.doing === "runs" ? <Bar running={each} /> : <i className="track" />}
              <Far running={each} />
            </li>
          ))}
        </ol>
      </div>
    </>
  );
}

/** Shows the progress in the tab's title, for a user who is in another tab. */
function useTitle(running: readonly Running[]) {
  const shares = running.map(({ share }) => share);
  const sum = shares.reduce<number>((all, share) => all + (share ?? 0), 0);
  const percent = shares.includes(null) ? null : Math.floor((100 * sum) / shares.length);
  const own = useRef(document.title);
  useEffect(() => {
    if (percent !== null) document.title = `${percent} % · ${own.current}`;
  }, [percent]);
  useEffect(
    () => () => {
      document.title = own.current;
    },
    [],
  );
}

/** Kernels that continue from where they were interrupted. */
function BrokenOff({ begun }: { begun: readonly Begun[] }) {
  if (begun.length === 0) return null;
  const bytes = begun.reduce((sum, each) => sum + each.bytes, 0);
  return (
    <>
      <p className="left">
        Cancelled {whenWords(begun.map(({ kept_ms }) => kept_ms))}. The progress of each is kept in
        this browser ({sizeWords(bytes, 1)}) until its run is complete:
      </p>
      <div className="progress">
        <ol>
          {begun.map(({ kernel, share, time_ns }) => (
            <li key={kernel} data-doing="begun">
              <b>{kernel}</b>
              <i className="track">
                <i style={{ width: `${Math.floor((share ?? 0) * 100)}%` }} />
              </i>
              <p className="live">
                <span>{farWords({ share, time_ns })}</span>
              </p>
            </li>
          ))}
        </ol>
      </div>
    </>
  );
}

type At = Pick<Running, "time_ns" | "share">;
/** Whole seconds, because these runs last minutes. */
const secondsOf = ({ time_ns }: At) => count(Math.floor(time_ns / 1e9));
const percentOf = ({ share }: At) => (share === null ? null : Math.floor(share * 100));
function farWords(at: At): string {
  const percent = percentOf(at);
  return `${secondsOf(at)} s simulated${percent === null ? "" : `, about ${percent} %`}`;
}

function Bar({ running }: { running: Running }) {
  const percent = percentOf(running);
  return (
    <div
      className="track"
      role="progressbar"
      aria-label={`Running ${running.kernel}`}
      aria-valuemin={0}
      aria-valuemax={100}
      {...(percent !== null && { "aria-valuenow": percent })}
      aria-valuetext={`${secondsOf(running)} s simulated`}
    >
      <i style={{ width: `${percent ?? 0}%` }} />
    </div>
  );
}

function Far({ running }: { running: Running }) {
  const { doing, counters } = running;
  if (doing === "waits") return <p className="live">queued</p>;
  return (
    <p className="live">
      <span>
        {doing === "done" ? `${secondsOf(running)} s simulated, done` : farWords(running)}
      </span>
      {counters.map((value, i) => (
        <span key={LIVE[i]?.[0]}>
          {count(value)} <small>{LIVE[i]?.[1]}</small>
        </span>
      ))}
    </p>
  );
}
