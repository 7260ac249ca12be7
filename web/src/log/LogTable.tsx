// The events as a grid that renders only the rows in view.

import { type KeyboardEvent, type ReactNode, useLayoutEffect, useRef, useState } from "react";
import { useRunViewModel, useRunViewState } from "../app/run-view-model";
import { eventKey, isMadeLit } from "../app/selection";
import type { Key } from "../app/store";
import { clock, count } from "../engine/format";
import type { Rows } from "../engine/record";
import type { Words } from "../engine/sentence";
import type { LogEntry, LogField } from "../engine/types";
import { useFit } from "../ui/fit";
import { useLaidOut } from "../ui/laid-out";
import { Name } from "../ui/lit";
import { Sentence } from "../ui/sentence";
import { entryAt, lineOf } from "./rows";
import { LOG_TABLE } from "./words";

/** Height of a row, and of a row with its fields below, px. */
const ROW_PX = 24;
const TALL_ROW_PX = 72;
const HEAD_PX = 24;
/** The number of rows rendered beyond the edges, so that scrolling does not show empty space. */
const SPARE_ROWS = 8;
const COLUMNS = ["step", "time, s", "CPU", "task", "event", "zone", "fields"];

/** The key of an event, which also highlights its task, zone and page. */
const keyOf = (event: LogEntry, { zones }: Words): Key =>
  eventKey({ ...event, zone: event.zone === null ? -1 : zones.indexOf(event.zone) });

/** The matching rows; the arrow keys move between them, and Enter goes to the step. */
export function LogTable({
  rows,
  found,
  words,
  here,
  isBusy,
  go,
}: {
  rows: Rows;
  found: Uint32Array;
  words: Words;
  /** The present step. */
  here: number;
  /** More rows are being fetched. */
  isBusy: boolean;
  go: (step: number) => void;
}) {
  const model = useRunViewModel();
  const { look } = useFit();
  const row_px = look === "phone" ? TALL_ROW_PX : ROW_PX;
  const head_px = look === "phone" ? 0 : HEAD_PX;
  const grid = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const height = useHeight(grid);
  const [cursor, setCursor] = useCursor(rows, found, here);
  // Rows at the new position render immediately, because the browser's scroll event comes a frame
  // later.
  const scroll = (to: number) => {
    if (!grid.current) return;
    grid.current.scrollTop = to;
    setTop(grid.current.scrollTop);
  };
  useStablePosition(grid, scroll, rows, found, row_px);
  const inView = Math.ceil(Math.max(0, height - head_px) / row_px);
  const first = Math.max(0, Math.floor(top / row_px) - SPARE_ROWS);
  const last = Math.min(found.length, first + inView + 2 * SPARE_ROWS);
  const event = (at: number) => entryAt(words, rows, found[at] ?? 0);

  /** Scrolls as little as possible to show a row. */
  const reveal = (at: number) => {
    if (!grid.current) return;
    const { scrollTop, clientHeight } = grid.current;
    const edge = at * row_px;
    const lowest = edge + row_px + head_px - clientHeight;
    if (edge < scrollTop) scroll(edge);
    else if (lowest > scrollTop) scroll(lowest);
  };
  const move = (to: number) => {
    const at = Math.max(0, Math.min(found.length - 1, to));
    setCursor(at);
    model.hover(keyOf(event(at), words));
    reveal(at);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls only when the person goes to another step
  useLayoutEffect(() => reveal(cursor), [here]);
  const onKeyDown = (pressed: KeyboardEvent) => {
    if (found.length === 0 || pressed.ctrlKey || pressed.metaKey || pressed.altKey) return;
    const to = movedBy(pressed.key, cursor, inView, found.length);
    if (to !== undefined) move(to);
    else if (pressed.target !== grid.current) return;
    else if (pressed.key === "Enter") go(event(cursor).step);
    else if (pressed.key === " ") model.select(keyOf(event(cursor), words));
    else return;
    pressed.preventDefault();
  };
  const rowId = (at: number) => `log-row-${found[at] ?? 0}`;
  return (
    // biome-ignore lint/a11y/useSemanticElements: rows out of view are missing, which a table cannot express
    <div
      ref={grid}
      className="log-grid"
      role="grid"
      aria-label={LOG_TABLE.events}
      aria-busy={isBusy}
      aria-rowcount={found.length + 1}
      aria-activedescendant={cursor >= first && cursor < last ? rowId(cursor) : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onBlur={() => model.hover(null)}
      onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}
    >
      <Head />
      <div className="log-rows" style={{ height: found.length * row_px }}>
        {Array.from({ length: Math.max(0, last - first) }, (_, i) => first + i).map((at) => (
          <Row
            key={found[at]}
            id={rowId(at)}
            event={event(at)}
            k={keyOf(event(at), words)}
            index={at + 2}
            top={at * row_px}
            height={row_px}
            isCursor={at === cursor}
            here={here}
            go={go}
            choose={() => setCursor(at)}
          />
        ))}
      </div>
      {found.length === 0 && !isBusy && <p className="log-none">{LOG_TABLE.noEventMatches}</p>}
    </div>
  );
}

/** The row that a key leads to. */
const movedBy = (key: string, cursor: number, inView: number, rows: number): number | undefined =>
  ({
    ArrowDown: cursor + 1,
    ArrowUp: cursor - 1,
    PageDown: cursor + inView - 1,
    PageUp: cursor - inView + 1,
    Home: 0,
    End: rows - 1,
  })[key];

function Head() {
  return (
    <div className="log-head">
      {/* biome-ignore lint/a11y/useSemanticElements: like the rows below it */}
      <div role="row" tabIndex={-1} aria-rowindex={1} className="log-row">
        {COLUMNS.map((name) => (
          // biome-ignore lint/a11y/useSemanticElements: like the rows below it
          <div key={name} role="columnheader" tabIndex={-1}>
            {name}
          </div>
        ))}
      </div>
    </div>
  );
}

function Row({
  id,
  event,
  k,
  index,
  top,
  height,
  isCursor,
  here,
  go,
  choose,
}: {
  id: string;
  event: LogEntry;
  k: Key;
  index: number;
  top: number;
  height: number;
  isCursor: boolean;
  here: number;
  go: (step: number) => void;
  choose: () => void;
}) {
  const isHere = event.step === here;
  const isMade = useRunViewState((state) => isMadeLit(event.fn, state));
  const when = isHere ? " here" : event.step > here ? " ahead" : "";
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid around it handles keys
    // biome-ignore lint/a11y/useSemanticElements: like the grid
    <div
      id={id}
      role="row"
      tabIndex={-1}
      aria-rowindex={index}
      aria-selected={isCursor}
      aria-current={isHere ? "step" : undefined}
      className={`log-row${isCursor ? " cursor" : ""}${when}${isMade ? " made" : ""}`}
      style={{ top, height }}
      onClick={choose}
      onDoubleClick={() => go(event.step)}
    >
      <Cell className="num">
        <button
          type="button"
          className="name"
          tabIndex={-1}
          aria-label={LOG_TABLE.goToStep(event.step)}
          onClick={() => go(event.step)}
        >
          #{count(event.step)}
        </button>
      </Cell>
      <Cell className="num">{clock(event.time_ns)}</Cell>
      <Cell className="num">{event.cpu}</Cell>
      <Cell title={event.taskName}>
        <Name k={`task ${event.task}`} tabIndex={-1}>
          {event.taskName}
        </Name>
      </Cell>
      <Cell title={event.source ? `${event.about} (${event.source})` : event.about}>
        <code>
          <Name k={k} tabIndex={-1}>
            {event.name}
          </Name>
        </code>
        {!event.isTracepoint && (
          <span className="cap">{event.sentence ? LOG_TABLE.decision : LOG_TABLE.engine}</span>
        )}
      </Cell>
      <Cell>
        {event.zone !== null && (
          <Name k={`zone ${event.zone}`} tabIndex={-1}>
            {event.zone}
          </Name>
        )}
      </Cell>
      <Cell className="fields" title={lineOf(event)}>
        {event.sentence ? (
          <Sentence spans={event.sentence} tabIndex={-1} />
        ) : (
          event.fields.map((field) => <Field key={field.name} field={field} />)
        )}
      </Cell>
    </div>
  );
}

/** A cell of the grid; arrow keys skip it, a screen reader can enter it. */
function Cell({
  className,
  title,
  children,
}: {
  className?: string;
  /** The full text, for a cell that may cut it off. */
  title?: string;
  children: ReactNode;
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: like the grid
    <div role="gridcell" tabIndex={-1} className={className} title={title}>
      {children}
    </div>
  );
}

function Field({ field: { name, kind, value, text } }: { field: LogField }) {
  const isLit = value !== null && (kind === "page" || kind === "task");
  return (
    <span>
      {name}=
      {isLit ? (
        <Name k={`${kind} ${value}`} tabIndex={-1}>
          {text}
        </Name>
      ) : (
        text
      )}{" "}
    </span>
  );
}

function useHeight(grid: React.RefObject<HTMLDivElement | null>): number {
  const [height, setHeight] = useState(0);
  useLaidOut(grid, ({ clientHeight }) => setHeight(clientHeight));
  return height;
}

/**
 * The active row for the arrow keys: the selected row, otherwise the last row up to the present
 * step.
 */
function useCursor(
  rows: Rows,
  found: Uint32Array,
  here: number,
): [number, (cursor: number) => void] {
  const [chosen, choose] = useState({ row: -1, step: -1, here: -1 });
  const stepAt = (row: number) => rows.step(found[row] ?? 0);
  const set = (row: number) => choose({ row, step: stepAt(row), here });
  const isMeant = chosen.here === here || chosen.step === here;
  if (isMeant && chosen.row >= 0 && found.length > 0) {
    if (chosen.row < found.length && stepAt(chosen.row) === chosen.step) return [chosen.row, set];
    const same = found.findIndex((index) => rows.step(index) === chosen.step);
    if (same >= 0) return [same, set];
  }
  let last = found.length - 1;
  while (last > 0 && stepAt(last) > here) last -= 1;
  return [Math.max(0, last), set];
}

/** Rows added above do not move the rows in view. A new log is scrolled to its end. */
function useStablePosition(
  grid: React.RefObject<HTMLDivElement | null>,
  scroll: (to: number) => void,
  rows: Rows,
  found: Uint32Array,
  row_px: number,
): void {
  const before = useRef({ length: 0, lastStep: 0 });
  // biome-ignore lint/correctness/useExhaustiveDependencies: `scroll` does the same in every render
  useLayoutEffect(() => {
    const element = grid.current;
    if (!element) return;
    const { length, lastStep } = before.current;
    const newest = rows.step(found[found.length - 1] ?? 0);
    before.current = { length: found.length, lastStep: newest };
    const wasAtEnd = element.scrollTop + element.clientHeight >= HEAD_PX + length * row_px - row_px;
    if (length === 0 || wasAtEnd) scroll(element.scrollHeight);
    else if (newest === lastStep) {
      scroll(element.scrollTop + (found.length - length) * row_px);
    }
  }, [grid, rows, found, row_px]);
}
