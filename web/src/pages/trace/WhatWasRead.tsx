import { useStore } from "zustand";
import type { TraceInfo } from "../../engine/capture/answers";
import type { Machine } from "../../engine/capture/open";
import { count, duration } from "../../engine/format";
import { RichText } from "../../ui/rich-text";
import { Refusals } from "./Choose";
import { machines } from "./opened";
import { KEPT, PAGE, READ, WHAT_WAS_READ } from "./words";

/**
 * The contents of the files: kernel, time span, events by kind, and the parts that could not be
 * read.
 */
export function WhatWasRead({ machine }: { machine: Machine }) {
  const storage = useStore(machines.store, (state) => state.storage);
  const { capture, statics, trace, refusals, files } = machine;
  const info = trace?.info ?? null;
  const release =
    capture?.release ?? statics?.release ?? (info?.dialect ? `kernel ${info.dialect.name}` : null);
  const facts = [
    READ.files(files.length),
    release,
    machine.length_ns > 1 ? duration(machine.length_ns) : null,
    info && READ.events(info.stored, info.events),
    info && info.lost > 0 ? READ.lost(info.lost) : null,
  ].filter((fact) => fact !== null);
  return (
    <section className="trace-read" aria-label={READ.title}>
      <p className="trace-facts">{facts.join(" · ")}</p>
      {capture?.workload && (
        <p className="trace-about">
          <RichText
            text={WHAT_WAS_READ.workload}
            parts={{ workload: <code>{capture.workload}</code> }}
          />
        </p>
      )}
      <p className="trace-about">
        {trace && PAGE.noReplay} {PAGE.noLink} {storage && KEPT[storage]}
      </p>
      {info?.message && <p className="trace-about">{info.message}</p>}
      <TraceChoice machine={machine} />
      <div className="trace-folds">
        {info && <Kinds info={info} />}
        {refusals.length > 0 && (
          <details>
            <summary>{READ.refused(Math.max(refusals.length, info?.refused ?? 0))}</summary>
            <Refusals refusals={refusals} />
          </details>
        )}
        <details>
          <summary>{WHAT_WAS_READ.files}</summary>
          <ul>
            {files.map(({ name, bytes, use }) => (
              <li key={name}>
                <RichText
                  text={WHAT_WAS_READ.bytes(bytes, use)}
                  parts={{ name: <code>{name}</code> }}
                />
              </li>
            ))}
          </ul>
        </details>
      </div>
    </section>
  );
}

/** Chooses among the traces that were read. */
function TraceChoice({ machine }: { machine: Machine }) {
  const { trace } = machine;
  if (!trace || trace.others.length === 0) return null;
  const names = [trace.name, ...trace.others].sort();
  return (
    <label className="trace-choice">
      {READ.trace}{" "}
      <select
        className="field"
        value={trace.name}
        onChange={({ currentTarget }) => void machines.show(currentTarget.value)}
      >
        {names.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}

function Kinds({ info }: { info: TraceInfo }) {
  const kinds = [...info.kinds].sort((a, b) => b.count - a.count);
  return (
    <details>
      <summary>
        {READ.byKind} ({kinds.length})
      </summary>
      {info.dialect && <p className="trace-about">{info.dialect.why.join(" ")}</p>}
      <table className="trace-table">
        <thead>
          <tr>
            <th scope="col">{WHAT_WAS_READ.event}</th>
            <th scope="col">{WHAT_WAS_READ.count}</th>
          </tr>
        </thead>
        <tbody>
          {kinds.map(({ number, name, count: many }) => (
            <tr key={number}>
              <th scope="row">
                <code>{name}</code>
              </th>
              <td className="num">{count(many)}</td>
            </tr>
          ))}
          {info.unknown.map(({ name, count: many }) => (
            <tr key={`unknown ${name}`}>
              <th scope="row">
                <RichText text={WHAT_WAS_READ.notRead} parts={{ name: <code>{name}</code> }} />
              </th>
              <td className="num">{count(many)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
