// The runs that the user has made, with notes.

import { useEffect, useId, useRef, useState } from "react";
import { useStore } from "zustand";
import { clock, count } from "../../engine/format";
import { type PastRun, RunHistory } from "../../keep/history";
import { writeFragment } from "../../link/router";
import { pageZoom, useFit } from "../../ui/fit";
import { Icon } from "../../ui/icons";
import { PageBar } from "../../ui/page-bar";
import { saveText } from "../../ui/save";
import { differingFigures, matches } from "./compared";
import { HISTORY } from "./words";
import "./history.css";

/** The page of the user's runs. */
export function HistoryPage() {
  const { look, text, hasTouch } = useFit();
  const [history] = useState(() => new RunHistory());
  useEffect(() => {
    document.title = `${HISTORY.title} · mmscope`;
    void history.read();
    return () => history.dispose();
  }, [history]);
  return (
    <div
      className="history-page"
      data-look={look}
      data-touch={hasTouch || undefined}
      style={pageZoom(text)}
    >
      <PageBar crumb={<b>{HISTORY.title}</b>} />
      <main className="history-main" aria-label={HISTORY.title}>
        <h1 tabIndex={-1}>{HISTORY.title}</h1>
        <p>{HISTORY.about}</p>
        <Runs history={history} />
      </main>
    </div>
  );
}

function Runs({ history }: { history: RunHistory }) {
  const runs = useStore(history.store, (state) => state.runs);
  const fault = useStore(history.store, (state) => state.fault);
  const [search, setSearch] = useState("");
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const choose = (id: string) =>
    setChosen(
      chosen.includes(id) ? chosen.filter((each) => each !== id) : [...chosen, id].slice(-2),
    );
  const found = (runs ?? []).filter((run) => matches(run, search));
  const pair = chosen.flatMap((id) => (runs ?? []).filter((run) => run.id === id));
  return (
    <>
      <Tools history={history} search={search} setSearch={setSearch} />
      {fault && <p role="alert">{fault}</p>}
      {runs?.length === 0 && !fault && (
        <p>
          {HISTORY.none}{" "}
          <a href={writeFragment({ page: "workbench", x: null })}>{HISTORY.workbench}</a>
        </p>
      )}
      {runs && runs.length > 0 && found.length === 0 && <p>{HISTORY.noMatch}</p>}
      {runs && runs.length > 1 && <Pair pair={pair} clear={() => setChosen([])} />}
      <ul className="history-runs">
        {found.map((run) => (
          <Run
            key={run.id}
            run={run}
            history={history}
            isChosen={chosen.includes(run.id)}
            choose={() => choose(run.id)}
          />
        ))}
      </ul>
    </>
  );
}

function Tools({
  history,
  search,
  setSearch,
}: {
  history: RunHistory;
  search: string;
  setSearch: (search: string) => void;
}) {
  const said = useStore(history.store, (state) => state.said);
  const deleted = useStore(history.store, (state) => state.deleted);
  const field = useId();
  const input = useRef<HTMLInputElement>(null);
  return (
    <div className="history-tools">
      <label htmlFor={field}>{HISTORY.search}</label>
      <input
        id={field}
        className="field"
        type="search"
        placeholder={HISTORY.searchHint}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
      />
      <button
        type="button"
        className="btn line"
        onClick={() => saveText(history.exported(), "mmscope-runs.json", "application/json")}
      >
        {HISTORY.export}
      </button>
      <button type="button" className="btn line" onClick={() => input.current?.click()}>
        {HISTORY.import}
      </button>
      <input
        ref={input}
        type="file"
        accept=".json,application/json"
        hidden
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? [];
          if (file) void file.text().then((text) => history.imported(text));
          event.currentTarget.value = "";
        }}
      />
      <span role="status" className="history-said">
        {said}
      </span>
      {deleted.length > 0 && (
        <button type="button" className="btn line" onClick={() => void history.undo()}>
          {HISTORY.undo}
        </button>
      )}
    </div>
  );
}

function Run({
  run,
  history,
  isChosen,
  choose,
}: {
  run: PastRun;
  history: RunHistory;
  isChosen: boolean;
  choose: () => void;
}) {
  const { title, kernel, source, runs, made_ms, hash, steps, time_ns, figures } = run;
  // The text being typed; null shows the stored note, which an import or another tab may change.
  const [typed, setTyped] = useState<string | null>(null);
  const field = useId();
  return (
    <li>
      <input
        type="checkbox"
        className="history-pick"
        aria-label={HISTORY.select(title)}
        checked={isChosen}
        disabled={source === "sweep"}
        onChange={choose}
      />
      <div className="history-what">
        <a href={run.address} aria-label={HISTORY.openRun(title)}>
          {title}
        </a>
        <p className="cap">
          {kernel && `${kernel} · `}
          {source === "sweep" ? HISTORY.many(runs) : HISTORY.sources[source]} · {clock(time_ns)} s ·{" "}
          {HISTORY.steps(steps)} · {dateWords(made_ms)}
        </p>
        {hash && (
          <p className="cap">
            {HISTORY.hash} <code>{hash}</code>
          </p>
        )}
        {figures.length > 0 && (
          <details>
            <summary>{HISTORY.figures(figures.length)}</summary>
            <ul className="history-figures">
              {figures.map(([name, value]) => (
                <li key={name}>
                  {name} <b>{count(value)}</b>
                </li>
              ))}
            </ul>
          </details>
        )}
      </div>
      <div className="history-note">
        <label htmlFor={field}>{HISTORY.note}</label>
        <textarea
          id={field}
          className="field"
          rows={2}
          maxLength={2000}
          value={typed ?? run.note}
          onChange={({ currentTarget: { value } }) => {
            setTyped(value);
            void history.annotate(run.id, value);
          }}
          onBlur={() => setTyped(null)}
        />
      </div>
      <button
        type="button"
        className="btn icon"
        aria-label={HISTORY.deleteRun(title)}
        title={HISTORY.delete}
        onClick={() => void history.remove(run.id)}
      >
        <Icon name="cross" />
      </button>
    </li>
  );
}

function Pair({ pair, clear }: { pair: readonly PastRun[]; clear: () => void }) {
  const [first, second] = pair;
  if (!first || !second) {
    return <p className="cap">{pair.length === 0 ? HISTORY.compareHint : HISTORY.chosen(1)}</p>;
  }
  const rows = differingFigures(first, second);
  return (
    <section className="history-pair" aria-label={HISTORY.comparison}>
      <h2>{HISTORY.comparison}</h2>
      <p>
        {first.hash === second.hash ? HISTORY.sameHash : HISTORY.otherHash}{" "}
        {rows.length === 0 && HISTORY.sameFigures}
      </p>
      {rows.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long table is scrolled by keyboard
        <div className="history-table" tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">{HISTORY.figure}</th>
                {[first, second].map((run) => (
                  <th scope="col" key={run.id}>
                    {run.title}, {run.kernel}
                  </th>
                ))}
                <th scope="col">{HISTORY.difference}</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row.name}>
                  <th scope="row">{row.name}</th>
                  <td>{count(row.first)}</td>
                  <td>{count(row.second)}</td>
                  <td>{signed(row.second - row.first)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <button type="button" className="btn line" onClick={clear}>
        {HISTORY.clear}
      </button>
    </section>
  );
}

const signed = (value: number): string => `${value > 0 ? "+" : "−"}${count(Math.abs(value))}`;

const dateWords = (ms: number): string =>
  new Date(ms).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
