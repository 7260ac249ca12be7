// The contents of the log and its filters, in a drawer or a dialog.

import { useDeferredValue, useEffect, useMemo, useRef } from "react";
import { useStore } from "zustand";
import { useRunViewModel, useRunViewState } from "../app/run-view-model";
import { EMPTY_SETUP } from "../app/setup";
import type { LogFilter } from "../engine/log";
import type { Rows } from "../engine/record";
import { canReplay, type RunInfo, type RunView } from "../engine/run";
import type { Words } from "../engine/sentence";
import type { Catalog } from "../engine/types";
import { actsWhen } from "../ui/acts";
import { LogKeeper, type LogState, MOST, PORTION } from "./keeper";
import { LogExports } from "./LogExports";
import { LogFilters } from "./LogFilters";
import { LogTable } from "./LogTable";
import { entryAt, isFound, searchText } from "./rows";
import { useWords } from "./useWords";
import { filterOf, isDecisionsOnly, isNarrowed, viewOf } from "./view";
import { EVENT_LOG } from "./words";

/** The maximum length of a search, as in links. */
const MOST_SEARCHED = 200;
/** The number of steps before the present one that are recorded even if memory is short. */
const RECORDED = 512;

/** The log of a machine up to a moment. */
export function EventLog({
  info,
  view,
  catalog,
  onGo,
  texts,
}: {
  info: RunInfo;
  view: RunView;
  catalog: Catalog;
  /** Called when the user has gone to an event's step. */
  onGo: () => void;
  /** The texts that a trace printed. */
  texts?: readonly string[] | undefined;
}) {
  const model = useRunViewModel();
  const { step } = view.position;
  const logView = useRunViewState((state) => state.logView);
  const { search } = logView;
  const hasDecisions = useRunViewState(({ session }) => session !== null && canReplay(session));
  const words = useWords(catalog, info, view, texts);
  const filter = useFilter(words);
  const keeper = useKeeper(info, filter, step);
  const log = useStore(keeper.store);
  const found = useFound(log.rows, words, useDeferredValue(search));
  return (
    <div className="log">
      <div className="log-tools">
        <label className="log-search">
          <span className="sr">{EVENT_LOG.searchEvents}</span>
          <input
            type="search"
            className="field"
            value={search}
            maxLength={MOST_SEARCHED}
            placeholder={EVENT_LOG.search}
            onChange={(event) =>
              model.keep({ logView: { ...logView, search: event.currentTarget.value } })
            }
          />
        </label>
        <LogFilters
          words={words}
          hasDecisions={hasDecisions}
          filter={filter}
          setFilter={(next) => model.keep({ logView: viewOf(search, next, words) })}
        />
      </div>
      <LogExports
        events={() => Array.from(found, (index) => entryAt(words, log.rows, index))}
        isEmpty={found.length === 0}
        isEverything={!isNarrowed(logView)}
      />
      <div className="log-state">
        <button
          type="button"
          className="btn line tiny"
          {...actsWhen(hasEarlier(log) && log.look === null, () => keeper.earlier(PORTION))}
        >
          {EVENT_LOG.earlier}
        </button>
        <button
          type="button"
          className="btn line tiny"
          {...actsWhen(hasEarlier(log) && log.look === null, () => keeper.earlier(MOST))}
        >
          {EVENT_LOG.fromStart}
        </button>
        <p role="status">{isSilent(log) ? "" : stateWords(log, found.length, filter)}</p>
        {log.look && (
          <>
            <p>{EVENT_LOG.searching(log.look.at, log.look.from, log.look.to)}</p>
            <button type="button" className="btn line tiny" onClick={() => keeper.stop()}>
              {EVENT_LOG.stop}
            </button>
          </>
        )}
        {isNarrowed(logView) && (
          <button
            type="button"
            className="btn tiny"
            onClick={() => model.keep({ logView: EMPTY_SETUP.logView })}
          >
            {EVENT_LOG.showAll}
          </button>
        )}
      </div>
      <LogTable
        rows={log.rows}
        found={found}
        words={words}
        here={step}
        isBusy={log.isBusy}
        go={(to) => {
          model.transport.seek({ kind: "step", step: to });
          onGo();
        }}
      />
    </div>
  );
}

const hasEarlier = ({ from, rows, isRecentOnly, failure }: LogState): boolean =>
  from > 0 && !isRecentOnly && failure === null && rows.count < MOST;

/** Too early for a message, because the search has not finished. */
const isSilent = ({ look, isBusy, rows }: LogState): boolean =>
  look !== null || (isBusy && rows.count === 0);

/** A sentence about the events found, and those left out. */
function stateWords(log: LogState, count: number, filter: LogFilter): string {
  if (log.failure !== null) return EVENT_LOG.failed(log.failure);
  const all = log.rows.count;
  const withDecisions = filter.decisions ? EVENT_LOG.eventsAndDecisions : EVENT_LOG.events;
  const many = (isDecisionsOnly(filter) ? EVENT_LOG.decisions : withDecisions)(all);
  const found = count === all ? many : EVENT_LOG.someOf(count, many);
  if (log.isRecentOnly) return EVENT_LOG.recentOnly(found, RECORDED, log.to);
  const range = EVENT_LOG.fromTo(found, log.from, log.to);
  return all >= MOST ? `${range} ${EVENT_LOG.onlyNewest(MOST)}` : range;
}

/** The filter for the engine; the same object until it changes. */
function useFilter(words: Words): LogFilter {
  const logView = useRunViewState((state) => state.logView);
  const text = JSON.stringify(filterOf(logView, words));
  return useMemo(() => JSON.parse(text) as LogFilter, [text]);
}

/** The log of an experiment, which follows the filter and the present step. */
function useKeeper(info: RunInfo, filter: LogFilter, step: number): LogKeeper {
  const model = useRunViewModel();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another machine needs another log
  const keeper = useMemo(() => new LogKeeper(model.log()), [model, info]);
  const now = useRef(step);
  now.current = step;
  useEffect(() => () => keeper.dispose(), [keeper]);
  useEffect(() => {
    void keeper.begin(now.current, filter);
  }, [keeper, filter]);
  const last = useRef({ keeper, step });
  useEffect(() => {
    const was = last.current;
    last.current = { keeper, step };
    // `begin` has already read a new log up to this step.
    if (was.keeper === keeper && was.step !== step) void keeper.reach(step);
  }, [keeper, step]);
  return keeper;
}

/** Indices of the rows that match a search. */
function useFound(rows: Rows, words: Words, search: string): Uint32Array {
  const texts = useRef<{ rows: Rows; texts: string[] }>({ rows, texts: [] });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the names object changes with every step, the names in these rows do not
  return useMemo(() => {
    const all = Uint32Array.from({ length: rows.count }, (_, index) => index);
    if (search.trim() === "") return all;
    if (texts.current.rows !== rows || texts.current.texts.length === 0) {
      texts.current = {
        rows,
        texts: Array.from(all, (index) => searchText(entryAt(words, rows, index))),
      };
    }
    const known = texts.current.texts;
    return all.filter((index) => isFound(known[index] ?? "", search.trim()));
  }, [rows, search]);
}
