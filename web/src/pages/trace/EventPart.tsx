import { useEffect, useMemo, useState } from "react";
import { useStore } from "zustand";
import type { Machine } from "../../engine/capture/open";
import { LastAsked } from "../../engine/last-asked";
import { logEntry } from "../../engine/log-entry";
import { readRecord } from "../../engine/record";
import type { RunView } from "../../engine/run";
import type { Catalog, LogEntry } from "../../engine/types";
import { EVERYTHING } from "../../log/keeper";
import { useWords } from "../../log/useWords";
import { actsWhen } from "../../ui/acts";
import { RichText } from "../../ui/rich-text";
import { sentencesOf } from "./event-words";
import type { MachineViewModel } from "./machine-view-model";
import { EVENT_PART } from "./words";

/** The event at the playhead, with all its numbers and their meanings. */
export function EventPart({
  machine,
  model,
  catalog,
  view,
}: {
  machine: Machine;
  model: MachineViewModel;
  catalog: Catalog;
  view: RunView;
}) {
  const { info } = useStore(model.store, (state) => state.session);
  const { step } = view.position;
  const words = useWords(catalog, info, view, machine.trace?.info.texts);
  const row = useRow(model, step);
  const event = useMemo(
    () => (row ? logEntry(readRecord(catalog, row), words) : null),
    [row, catalog, words],
  );
  const stored = machine.trace?.info.stored ?? 0;
  const go = (to: number) => model.transport.seek({ kind: "step", step: to });
  return (
    <section className="trace-event" aria-labelledby="trace-event">
      <div className="trace-event-head">
        <h2 id="trace-event">{step > 0 ? EVENT_PART.eventAt(step) : EVENT_PART.event}</h2>
        <button
          type="button"
          className="btn line tiny"
          aria-label={EVENT_PART.previousEvent}
          {...actsWhen(step > 1, () => go(step - 1))}
        >
          ‹
        </button>
        <button
          type="button"
          className="btn line tiny"
          aria-label={EVENT_PART.nextEvent}
          {...actsWhen(step < stored, () => go(step + 1))}
        >
          ›
        </button>
      </div>
      <div aria-live="polite">
        {event ? (
          <OneEvent event={event} page_size={info.page_size} />
        ) : (
          <p className="trace-about">{EVENT_PART.playheadIsBeforeFirstEvent}</p>
        )}
      </div>
    </section>
  );
}

function OneEvent({ event, page_size }: { event: LogEntry; page_size: number }) {
  const sentences = sentencesOf(event, page_size);
  return (
    <>
      <p>
        <RichText
          text={EVENT_PART.line(event.taskName, event.cpu, event.time_ns)}
          parts={{ name: <code>{event.name}</code> }}
        />
      </p>
      {sentences.map((sentence) => (
        <p key={sentence} className="trace-sentence">
          {sentence}
        </p>
      ))}
      <p className="trace-about">
        {event.about} {event.source !== "" && <small>{event.source}</small>}
      </p>
      <dl>
        {event.fields.map(({ name, text }) => (
          <div key={name}>
            <dt>
              <code>{name}</code>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

/** The row of the event that ends at a step. */
function useRow(model: MachineViewModel, step: number): Float64Array | null {
  const [row, setRow] = useState<Float64Array | null>(null);
  const [asked] = useState(() => new LastAsked());
  useEffect(() => {
    if (step < 1) {
      setRow(null);
      return;
    }
    void asked.ask(async (heard) => {
      const act = { kind: "begin", from: step - 1, to: step, filter: EVERYTHING } as const;
      const { rows } = await heard(model.log()(act));
      setRow(rows.length > 0 ? rows : null);
    });
    return () => asked.stop();
  }, [model, step, asked]);
  return row;
}
