import { useId } from "react";
import { useWorkbenchState } from "../../app/context";
import { endOf } from "../../app/watch";
import { Icon } from "../../ui/icons";
import { PatchFields } from "../forms/PatchFields";
import { useParts } from "../forms/parts";
import { COMPARES, type Comparison, faultsOf } from "./statement";
import { SHRINK } from "./words";

/** The fields of one comparison: a counter, an operator, a number and a kernel. */
export function ComparisonFields({
  place,
  comparison,
  change,
  remove,
}: {
  /** From 1. */
  place: number;
  comparison: Comparison;
  change: (comparison: Comparison) => void;
  /** Null for the only comparison. */
  remove: (() => void) | null;
}) {
  const id = useId();
  const catalog = useWorkbenchState(({ engine }) =>
    engine.kind === "ready" ? engine.catalog : null,
  );
  const names = useCounterNames();
  const { counter, compare, bound, kernel } = comparison;
  const faults = faultsOf(comparison);
  const set = (part: Partial<Comparison>) => change({ ...comparison, ...part });
  return (
    <div className="comparison">
      {place > 1 && <span className="comparison-and">{SHRINK.and}</span>}
      <div className="comparison-row">
        <label className="stacked">
          {SHRINK.counter}
          <input
            className="field"
            list={`${id}-names`}
            value={counter}
            aria-invalid={faults.counter !== undefined}
            aria-describedby={faults.counter && `${id}-counter`}
            spellCheck={false}
            autoCapitalize="off"
            onChange={({ target }) => set({ counter: target.value })}
          />
          <datalist id={`${id}-names`}>
            {names.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </label>
        <label className="stacked">
          {SHRINK.is}
          <select
            className="field"
            value={compare}
            onChange={({ target }) => set({ compare: target.value as Comparison["compare"] })}
          >
            {COMPARES.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <label className="stacked">
          {SHRINK.number}
          <input
            className="field"
            value={bound}
            aria-invalid={faults.bound !== undefined}
            aria-describedby={`${id}-bound`}
            spellCheck={false}
            autoCapitalize="off"
            onChange={({ target }) => set({ bound: target.value })}
          />
        </label>
        <label className="stacked">
          {SHRINK.on}
          <select
            className="field"
            value={kernel ?? ""}
            onChange={({ target }) => set({ kernel: target.value || null, patches: [] })}
          >
            <option value="">{SHRINK.ownKernel}</option>
            {catalog?.kernels.map(({ id: one }) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        {remove && (
          <button
            type="button"
            className="btn icon"
            aria-label={SHRINK.remove(place)}
            onClick={remove}
          >
            <Icon name="cross" />
          </button>
        )}
      </div>
      {faults.counter && (
        <p id={`${id}-counter`} className="fault">
          {faults.counter}
        </p>
      )}
      <p id={`${id}-bound`} className={faults.bound ? "fault" : "comparison-help"}>
        {faults.bound ?? (place === 1 ? SHRINK.numberHelp : "")}
      </p>
      {kernel !== null && (
        <ComparisonPatches
          kernel={kernel}
          chosen={comparison.patches}
          change={(patches) => set({ patches })}
        />
      )}
    </div>
  );
}

/** The patches on top of another kernel. */
function ComparisonPatches({
  kernel,
  chosen,
  change,
}: {
  kernel: string;
  chosen: readonly string[];
  change: (patches: readonly string[]) => void;
}) {
  const { parts, failure } = useParts();
  if (!parts) return failure ? <p className="fault">{failure}</p> : null;
  const isTaken = parts.patches.some(({ kernels }) => kernels.includes(kernel));
  if (!isTaken) return <p className="comparison-help">{SHRINK.noPatches}</p>;
  return (
    <details className="comparison-patches" open={chosen.length > 0}>
      <summary>{SHRINK.patches(chosen.length)}</summary>
      <PatchFields
        patches={parts.patches}
        kernel={kernel}
        chosen={chosen}
        faults={[]}
        change={change}
      />
    </details>
  );
}

/** The names of the engine's counters, also for each zone type, anon and file. */
function useCounterNames(): readonly string[] {
  const counters = useWorkbenchState(({ engine }) =>
    engine.kind === "ready" ? engine.catalog.counters : null,
  );
  const types = useWorkbenchState((state) => state.session?.info.zone_types);
  if (!counters || !types) return [];
  return counters.flatMap(({ name, per }) => {
    if (per === "machine") return [name];
    if (per === "memory") return [`${name}_anon`, `${name}_file`];
    return types.map((type) => `${name}_${endOf(type)}`);
  });
}
