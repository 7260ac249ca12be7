// Published tables at their published size: how many changes go the published way.

import type { EngineMark, ScoredTables } from "../../engine/load-truth";
import { writeFragment } from "../../link/router";
import full from "./full-size.json";
import { ofWords, scoreWords, tally } from "./words";

const FULL: ScoredTables = full as unknown as ScoredTables; // A file of ours, as `mmscope truth` wrote it: its cells are told apart where they are read.

/** The tables, how they came out, and by which engine. */
export function Tables({ engine, teaching }: { engine: EngineMark; teaching: ScoredTables }) {
  const isOld = FULL.engine.behaviour !== engine.behaviour;
  return (
    <section aria-labelledby="tables">
      <h2 id="tables">Published tables</h2>
      <p className="stand">
        The published series' own benchmarks, run at their published size with each of their
        kernels. <b>{scoreWords(FULL)}</b>
      </p>
      <p role="note" className="made-by">
        Made by engine {FULL.engine.version}
        {isOld
          ? ": older than this one, whose runs come out differently since. "
          : ", the one this page runs. "}
        <code>npm run --silent sim -- truth --tables full</code> makes it anew.
      </p>
      <div className="scroll">
        <table className="counters">
          <thead>
            <tr>
              <th scope="col">table</th>
              <th scope="col">rows</th>
              <th scope="col">cells the published way</th>
            </tr>
          </thead>
          <tbody>
            {FULL.tables.map(({ id, rows }) => {
              const { agree, scored } = tally(rows.map(({ cells }) => cells));
              return (
                <tr key={id}>
                  <th scope="row">
                    <a href={writeFragment({ page: "report", table: id })}>{id}</a>
                  </th>
                  <td>{rows.length}</td>
                  <td>{ofWords(agree, scored)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <p className="about">
        At teaching size the same benchmarks are for watching, not for comparing: memory and disks
        are scaled, constants are not. {scoreWords(teaching)}
      </p>
    </section>
  );
}
