import { longRunProgress, longRunWords, shareOf } from "../../app/goals";
import type { LongRun } from "../../engine/protocol";
import { LONG_RUN_BAR } from "./words";

/** Progress of a long run: a bar, a percentage, a count, and the speed. */
export function LongRunBar({ longRun }: { longRun: LongRun }) {
  const share = shareOf(longRun);
  const done = longRunProgress(longRun);
  return (
    <div className="long-run">
      <span className="label">{longRunWords(longRun)}</span>
      <div
        className="long-run-bed"
        role="progressbar"
        aria-label={longRunWords(longRun)}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={share === null ? undefined : Math.floor(share * 100)}
        aria-valuetext={done}
      >
        <i style={{ inlineSize: `${(share ?? 0) * 100}%` }} />
      </div>
      <b className="long-run-share">
        {share === null ? done : `${Math.floor(share * 100)}\u202f%`}
      </b>
      <span className="long-run-speed">{speedWords(longRun.steps_per_s)}</span>
    </div>
  );
}

/** Steps a second in three digits: 21.3 million steps/s. */
function speedWords(steps_per_s: number): string {
  if (steps_per_s >= 1e6) return LONG_RUN_BAR.millionStepsS((steps_per_s / 1e6).toFixed(1));
  return LONG_RUN_BAR.stepsS(steps_per_s);
}
