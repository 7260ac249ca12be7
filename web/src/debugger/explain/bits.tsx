// Small components that the parts of the panel share.

import { type KeyboardEvent, type ReactNode, useId } from "react";
import { useWorkbench } from "../../app/context";
import { clock, count } from "../../engine/format";
import { Icon } from "../../ui/icons";
import type { Progress } from "./search";
import { BITS } from "./words";

/** A link to a step. */
export function StepLink({ step, tabIndex }: { step: number; tabIndex?: -1 }) {
  const workbench = useWorkbench();
  return (
    <button
      type="button"
      className="name step-link"
      aria-label={BITS.goToStep(step)}
      tabIndex={tabIndex}
      onClick={() => workbench.transport.seek({ kind: "step", step })}
    >
      #{count(step)}
    </button>
  );
}

/** A step with its time. */
export function When({
  step,
  time_ns,
  tabIndex,
}: {
  step: number;
  time_ns: number;
  tabIndex?: -1;
}) {
  return (
    <>
      <StepLink step={step} {...(tabIndex && { tabIndex })} /> <span>{clock(time_ns)} s</span>
    </>
  );
}

/** An icon for yes, no or neither, next to words with the same meaning. */
export function Mark({ is }: { is: boolean | null }) {
  return (
    <span className="verdict" aria-hidden="true">
      {is === null ? "·" : <Icon name={is ? "check" : "cross"} />}
    </span>
  );
}

/** The progress of a search, with a button to stop it; after a stop, a button to continue. */
export function LookLine({
  progress,
  failure,
  isStopped,
  isBusy = progress !== null,
  stop,
  goOn,
  children,
}: {
  progress: Progress | null;
  failure: string | null;
  isStopped: boolean;
  /** Marks that the content below belongs to another moment. */
  isBusy?: boolean;
  stop: () => void;
  goOn: () => void;
  /** Content while no search is running. */
  children?: ReactNode;
}) {
  return (
    <div className="look" aria-busy={isBusy}>
      <p role="status">{failure !== null ? BITS.failed(failure) : progress ? "" : children}</p>
      {progress && (
        <>
          <p>{BITS.searching(progress.at, progress.from, progress.to)}</p>
          <button type="button" className="btn line tiny" onClick={stop}>
            {BITS.stop}
          </button>
        </>
      )}
      {isStopped && !progress && (
        <button type="button" className="btn line tiny" onClick={goOn}>
          {BITS.continue}
        </button>
      )}
    </div>
  );
}

/** A heading and its content. */
export function Titled({
  title,
  children,
  className,
}: {
  title: ReactNode;
  children: ReactNode;
  className?: string;
}) {
  const id = useId();
  return (
    <section aria-labelledby={id} className={className}>
      <h3 id={id} className="label">
        {title}
      </h3>
      {children}
    </section>
  );
}

const MOVES: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/**
 * Arrow keys in a list of items with buttons: up and down between items, left and right within one.
 */
export function moveByArrows(event: KeyboardEvent<HTMLElement>): void {
  const { target, currentTarget, key } = event;
  if (!(target instanceof HTMLElement) || event.ctrlKey || event.metaKey || event.altKey) return;
  const items = [...currentTarget.querySelectorAll<HTMLElement>(":scope > li")];
  const at = items.findIndex((item) => item.contains(target));
  const buttons = (item?: HTMLElement) => [...(item?.querySelectorAll("button") ?? [])];
  let next: HTMLElement | undefined;
  if (key === "Home") next = buttons(items[0])[0];
  else if (key === "End") next = buttons(items.at(-1))[0];
  else if (MOVES[key]) {
    // From the list itself, an arrow key goes to the newest item.
    const to = at < 0 ? items.length - 1 : at + MOVES[key];
    next = buttons(items[to])[0];
  } else if (key === "ArrowLeft" || key === "ArrowRight") {
    const row = buttons(items[at]);
    next =
      row[row.findIndex((button) => button.isSameNode(target)) + (key === "ArrowRight" ? 1 : -1)];
  } else return;
  event.preventDefault();
  next?.focus();
}
