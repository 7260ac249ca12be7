import "./shrink.css";
import { useId } from "react";
import { useStore } from "zustand";
import { useWorkbench, useWorkbenchState } from "../../app/context";
import { Dialog } from "../../ui/dialog";
import { ComparisonFields } from "./ComparisonFields";
import { ShrinkResult } from "./ShrinkResult";
import { shrinkSearch } from "./search";
import { FIRST, faultsOf, statementOf } from "./statement";
import { SHRINK } from "./words";

/** Searches for the smallest experiment for which a statement about counters holds. */
export function ShrinkDialog({ close }: { close: () => void }) {
  const workbench = useWorkbench();
  const experiment = useWorkbenchState((state) => state.session?.experiment ?? null);
  const search = useStore(shrinkSearch.store);
  const { comparisons, isRunning, found, failure, stored } = search;
  const legend = useId();
  const isWrong = comparisons.some((one) => Object.keys(faultsOf(one)).length > 0);
  const open = async (json: string) => {
    const refusals = await workbench.edit(json, { kind: "start" });
    if (refusals.length === 0) close();
  };
  return (
    <Dialog title={SHRINK.title} close={close} wide>
      <p>{SHRINK.about}</p>
      <form
        className="shrink-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (experiment && !isWrong && !isRunning) void shrinkSearch.run(experiment);
        }}
      >
        <fieldset aria-labelledby={legend} disabled={isRunning}>
          <h3 id={legend}>{SHRINK.whatHolds}</h3>
          {comparisons.map((comparison, i) => (
            <ComparisonFields
              // biome-ignore lint/suspicious/noArrayIndexKey: a comparison has no identity but its place
              key={i}
              place={i + 1}
              comparison={comparison}
              change={(next) =>
                shrinkSearch.edit(comparisons.map((one, at) => (at === i ? next : one)))
              }
              remove={
                comparisons.length > 1
                  ? () => shrinkSearch.edit(comparisons.filter((_, at) => at !== i))
                  : null
              }
            />
          ))}
          <button
            type="button"
            className="btn line"
            onClick={() => shrinkSearch.edit([...comparisons, comparisons.at(-1) ?? FIRST])}
          >
            {SHRINK.add}
          </button>
        </fieldset>
        <p className="shrink-text">
          {SHRINK.asText} <code>{statementOf(comparisons)}</code>
        </p>
        {isRunning ? (
          // The keys keep React from reusing the element: the same click would submit the form.
          <button
            key="stop"
            type="button"
            className="btn solid"
            onClick={() => shrinkSearch.stop()}
          >
            {SHRINK.stop}
          </button>
        ) : (
          <button
            key="start"
            type="submit"
            className="btn solid"
            aria-disabled={isWrong || !experiment}
          >
            {found || failure ? SHRINK.again : SHRINK.start}
          </button>
        )}
      </form>
      {failure && (
        <p role="alert" className="fault">
          {SHRINK.failed(failure)}
        </p>
      )}
      {isRunning && !found && <p role="status">{SHRINK.starting}</p>}
      {found && (
        <ShrinkResult
          found={found}
          isRunning={isRunning}
          isOfOpen={found.of === experiment}
          open={(json) => void open(json)}
        />
      )}
      {stored !== "kept" && <p role="status">{SHRINK.notKept}</p>}
    </Dialog>
  );
}
