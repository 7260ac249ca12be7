// Starts and cancels the runs, and shows their progress and errors.

import { useStore } from "zustand";
import { waitWords } from "../../runs/wait-words";
import type { SweepController } from "./controller";
import * as words from "./words";

/** The maximum number of failed runs that the page lists. */
const MOST_FAILED = 20;

/** The runs of the sweep. */
export function Runner({ controller }: { controller: SweepController }) {
  const { plan, isChecking, faults, results, progress, message, failed, isKeeping } = useStore(
    controller.store,
  );
  const all = plan?.jobs.length ?? 0;
  const done = plan?.jobs.filter(({ key }) => results.has(key)).length ?? 0;
  return (
    <section className="sweep-runs" aria-labelledby="sweep-runs">
      <h2 id="sweep-runs">{words.RUNS}</h2>
      <p role="status">
        {isChecking
          ? words.CHECKING
          : progress
            ? words.progress(progress.done, progress.of)
            : plan && words.planned(all, done)}
        {progress?.left_s != null && `, ${words.left(waitWords(progress.left_s))}`}
      </p>
      {progress && <progress max={progress.of} value={progress.done} aria-label={words.RUNS} />}
      {faults.length > 0 && (
        <ul className="sweep-fault" role="alert">
          {faults.map((fault) => (
            <li key={fault}>{fault}</li>
          ))}
        </ul>
      )}
      <div className="sweep-acts">
        {progress ? (
          <button type="button" className="btn solid" onClick={() => controller.cancel()}>
            {words.CANCEL}
          </button>
        ) : (
          <button
            type="button"
            className="btn solid"
            disabled={!plan || done === all}
            onClick={() => void controller.run()}
          >
            {done > 0 && done < all ? words.CONTINUE : words.RUN}
          </button>
        )}
        {done > 0 && !progress && (
          <button type="button" className="btn line" onClick={() => void controller.forget()}>
            {words.FORGET}
          </button>
        )}
      </div>
      {message && <p role="status">{message}</p>}
      {!isKeeping && <p role="status">{words.NOT_KEPT}</p>}
      {failed.length > 0 && (
        <ul className="sweep-fault" role="alert">
          {failed.slice(0, MOST_FAILED).map((fault) => (
            <li key={fault}>{fault}</li>
          ))}
        </ul>
      )}
    </section>
  );
}
