import { useWorkbench, useWorkbenchState } from "../app/context";
import { eventKey, isMadeLit } from "../app/selection";
import { hex } from "../engine/format";
import type { LogEntry, View } from "../engine/types";
import { Name } from "../ui/lit";
import { type Folding, StepPart } from "./StepPart";
import { EVENTS_PANEL } from "./words";

interface EventsProps {
  readonly view: View;
  readonly folding: Folding;
}

/** Tracepoints and engine events of the last step. */
export function EventsPanel({ view: { events, zones }, folding }: EventsProps) {
  return (
    <StepPart
      part="events"
      title={EVENTS_PANEL.eventsInThisStep}
      folding={folding}
      beside={
        <>
          {events.length > 0 && <span className="cap">{events.length}</span>}
          <AllEvents />
        </>
      }
    >
      {events.length === 0 ? (
        <p className="else">{EVENTS_PANEL.none}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling list must be reachable by keyboard
        <ul className="events" tabIndex={0}>
          {events.map((event, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: events are in order
            <Event key={i} event={event} zones={zones} />
          ))}
        </ul>
      )}
    </StepPart>
  );
}

/** Opens the log of all events. */
function AllEvents() {
  const workbench = useWorkbench();
  const isLogOpen = useWorkbenchState((state) => state.isLogOpen);
  return (
    <button
      type="button"
      className="btn line tiny"
      aria-expanded={isLogOpen}
      onClick={() => workbench.showLog()}
    >
      {EVENTS_PANEL.allEvents}
    </button>
  );
}

function Event({ event, zones }: { event: LogEntry; zones: View["zones"] }) {
  const workbench = useWorkbench();
  const { name, isTracepoint, fields, pfn, fn } = event;
  // The same key as in the log.
  const key = eventKey({ ...event, zone: zones.findIndex((zone) => zone.key === event.zone) });
  const isMade = useWorkbenchState((state) => isMadeLit(fn, state));
  const isStop = useWorkbenchState(({ breakpoints }) =>
    breakpoints.some(({ watch }) => watch.kind === "event" && watch.name === name),
  );
  return (
    <li className={isMade ? "made" : undefined}>
      <code>
        <Name k={key}>{name}</Name>
      </code>
      <button
        type="button"
        className="btn tiny quiet"
        aria-pressed={isStop}
        aria-label={EVENTS_PANEL.stopLabel(name)}
        onClick={() => workbench.stops.toggle({ kind: "event", name })}
      >
        {EVENTS_PANEL.stop}
      </button>
      {!isTracepoint && <span className="cap"> {EVENTS_PANEL.engine}</span>}
      {pfn !== null && (
        <>
          {" "}
          <Name k={`page ${pfn}`}>{hex(pfn)}</Name>
        </>
      )}
      <small className="about">
        {event.about} <span className="dim">{event.source === "Engine" ? "" : event.source}</span>
      </small>
      <small>{fields.map((field) => `${field.name}=${field.text}`).join(" ")}</small>
    </li>
  );
}
