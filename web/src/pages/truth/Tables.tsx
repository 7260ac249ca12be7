// Published tables at their published size: how many changes have the published direction, by the
// committed full-size results.

import { use } from "react";
import { loadReporter } from "../../engine/load-report";
import type { ScoredTables } from "../../engine/load-truth";
import { once } from "../../engine/once";
import { loadFullSize } from "../../lessons/full-size";
import { isOffered, loadPublications } from "../../lessons/publications";
import { writeFragment } from "../../link/router";
import { RichText } from "../../ui/rich-text";
import { type FullTable, scoreTable } from "./full";
import { madeWords, ofWords, scoreWords, sumOf, TABLES } from "./words";

/** Loads all tables with the scores of their committed results. */
const loadTables = once(async (): Promise<readonly FullTable[]> => {
  const [{ tables }, runs, reporter] = await Promise.all([
    loadPublications(),
    loadFullSize(),
    loadReporter(),
  ]);
  return tables.filter(isOffered).map((table) => scoreTable(table, runs, reporter));
});

/** The tables with their scores. */
export function Tables({ teaching }: { teaching: ScoredTables }) {
  const tables = use(loadTables());
  const scores = sumOf(tables.flatMap(({ scoring }) => (scoring ? [scoring.scores] : [])));
  const waiting = tables.filter(({ missing }) => missing.length > 0).length;
  return (
    <section aria-labelledby="tables">
      <h2 id="tables">{TABLES.publishedTables}</h2>
      <p className="stand">
        <RichText text={TABLES.about} parts={{ score: <b>{scoreWords({ scores })}</b> }} />
      </p>
      <p role="note" className="made-by">
        <RichText
          text={TABLES.made(
            madeWords(tables.flatMap(({ made }) => made)),
            waiting,
            ofWords(waiting, tables.length),
          )}
          parts={{ code: (text) => <code>{text}</code> }}
        />
      </p>
      <div className="scroll">
        <table className="counters">
          <thead>
            <tr>
              <th scope="col">{TABLES.table}</th>
              <th scope="col">{TABLES.rows}</th>
              <th scope="col">{TABLES.cellsThatAgreeInDirection}</th>
            </tr>
          </thead>
          <tbody>
            {tables.map((table) => (
              <Row key={table.id} table={table} />
            ))}
          </tbody>
        </table>
      </div>
      <p className="about">{TABLES.teachingSize(scoreWords(teaching))}</p>
    </section>
  );
}

function Row({ table: { id, rows, missing, scoring } }: { table: FullTable }) {
  return (
    <tr>
      <th scope="row">
        <a href={writeFragment({ page: "report", table: id })}>{id}</a>
      </th>
      <td>{rows}</td>
      <td>
        {scoring
          ? ofWords(scoring.scores.agree, scoring.scores.scored)
          : TABLES.notMadeYet(missing.join(", "))}
      </td>
    </tr>
  );
}
