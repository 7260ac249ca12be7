import { useMode, useWorkbench, useWorkbenchState } from "../app/context";
import { litByStory } from "../app/selection";
import { FIRST_PRIORITY, shareFigure, shareWords } from "../draw/reclaim";
import { duration, percent } from "../engine/format";
import type { NodeView, View } from "../engine/types";
import { actsWhen } from "../ui/acts";
import { RichText } from "../ui/rich-text";
import { KSWAPD } from "./words";

/** Successive runs without progress after which kswapd gives up. */
const HOPELESS = 16;

/** A node's kswapd: whether it is awake, and its scan priority while it is. */
export function Kswapd({ state, view }: { state: NodeView; view: View }) {
  const { id, kswapd_wakes, kswapd_since_ns, kswapd_failures } = state;
  const since = duration(Math.max(0, view.position.time_ns - kswapd_since_ns));
  const run = view.reclaimers.find(({ kswapd, node }) => kswapd && node === id);
  const task = view.tasks.find(({ name }) => name === `kswapd${id}`);
  return (
    <>
      <Pill
        node={id}
        task={task?.id ?? null}
        isAwake={state.kswapd_awake}
        words={stateWords(state, task?.waits_for !== "")}
      />
      {run && state.kswapd_awake ? (
        <span className="cap run" data-term="priority">
          <Ladder priority={run.priority} />
          <span>
            <b>{KSWAPD.priority(run.priority)}</b>
            <span className="share" title={KSWAPD.scansPerPass(shareWords(run.priority))}>
              , {shareFigure(run.priority)}
            </span>
          </span>
        </span>
      ) : (
        <span className="cap">
          {kswapd_failures > 0 || kswapd_wakes > 0
            ? KSWAPD.sinceFor(since)
            : state.kswapd_awake
              ? KSWAPD.sinceBoot
              : KSWAPD.neverWoken}
        </span>
      )}
      <CpuShare state={state} now_ns={view.position.time_ns} />
      {kswapd_failures > 0 && (
        <span className="cap">
          <RichText
            text={KSWAPD.failures(kswapd_failures, HOPELESS)}
            parts={{ failures: <b>{kswapd_failures}</b> }}
          />
        </span>
      )}
    </>
  );
}

/** The share of a CPU that kswapd has used since boot; its work is shown below the machine. */
function CpuShare({ state, now_ns }: { state: NodeView; now_ns: number }) {
  if (state.kswapd_passes === 0) return null;
  const share = Math.min(1, state.kswapd_cpu_ns / Math.max(1, now_ns));
  return (
    <span className="cap cpu-share" title={KSWAPD.cpuHelp(workWords(state))}>
      <RichText text={KSWAPD.cpu} parts={{ share: <b>{percent(share)}</b> }} />
    </span>
  );
}

/** The work of a kswapd since boot: passes over its node, and CPU time. */
function workWords({ kswapd_passes: passes, kswapd_cpu_ns: cpu_ns }: NodeView): string {
  return KSWAPD.work(passes, cpu_ns);
}

/** A link to the step that began this state. */
function Pill({
  node,
  task,
  isAwake,
  words,
}: {
  node: number;
  task: number | null;
  isAwake: boolean;
  words: string;
}) {
  const workbench = useWorkbench();
  const isPaused = useMode() === "paused";
  const isInStory = useWorkbenchState(
    (state) => task !== null && litByStory(state).includes(`task ${task}`),
  );
  return (
    <button
      type="button"
      data-term="kswapd"
      className={`ks pill ${isAwake ? "on" : "off"}${isInStory ? " lit-story" : ""}`}
      title={KSWAPD.kswapdHelp}
      {...actsWhen(isPaused, () => workbench.stops.lastChange({ kind: "kswapd", node }))}
    >
      {KSWAPD.kswapd(node, words)}
    </button>
  );
}

function stateWords(state: NodeView, isHeldUp: boolean): string {
  // A woken kswapd counts as awake before it gets a CPU.
  if (!state.kswapd_awake) return state.kswapd_napping ? "napping" : "asleep";
  return isHeldUp ? "waits" : "awake";
}

/** Scan priority: a rung for each from 12 down to 0, filled down to the present one. */
export function Ladder({ priority }: { priority: number }) {
  const rungs = Array.from({ length: FIRST_PRIORITY + 1 }, (_, i) => FIRST_PRIORITY - i);
  return (
    <svg
      className="ladder"
      width="52"
      height="12"
      role="img"
      aria-label={KSWAPD.scanPriority(priority)}
    >
      {rungs.map((rung, i) => (
        <rect
          key={rung}
          x={i * 4}
          y={rung === priority ? 0 : 3}
          width="2.5"
          height={rung === priority ? 12 : 6}
          className={rung >= priority ? "rung on" : "rung"}
        />
      ))}
    </svg>
  );
}
