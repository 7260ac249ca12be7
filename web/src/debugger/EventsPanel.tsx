import { useWorkbench, useWorkbenchState } from "../app/context";
import { eventKey } from "../app/selection";
import type { Key, WorkbenchState } from "../app/store";
import { hex } from "../engine/format";
import type { EventView, View } from "../engine/types";
import { isMadeLit } from "../log/made-in";
import { Name } from "../ui/lit";

/** Tracepoints and engine events of the last step. */
export function EventsPanel({ view: { events } }: { view: View }) {
  return (
    <section aria-label="Events in this step">
      <div className="hd">
        <h2 className="label">Events in this step</h2>
        {events.length > 0 && <span className="cap">{events.length}</span>}
        <AllEvents />
      </div>
      {events.length === 0 ? (
        <p className="else">None.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <ul className="events" tabIndex={0}>
          {events.map((event, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: events are in order
            <Event key={i} event={event} />
          ))}
        </ul>
      )}
    </section>
  );
}

/** The key the event has in the log, too: what it is about is read off its fields as there. */
function keyOfEvent(
  { name, step, task, fields, pages }: EventView,
  { engine, session }: Pick<WorkbenchState, "engine" | "session">,
): Key {
  const kinds = engine.kind === "ready" ? engine.catalog.events : [];
  const zones = session?.frame?.view.zones ?? [];
  const kind = kinds.findIndex((other) => other.name === name);
  const pfn = pages?.[0] ?? null;
  let zone = -1;
  for (const [field, how] of kinds[kind]?.fields ?? []) {
    const text = fields.find(([other]) => other === field)?.[1];
    if (how === "zone") zone = zones.findIndex(({ key }) => key === text);
    if (how === "page" && pfn !== null) {
      zone = zones.findIndex((z) => pfn >= z.start_pfn && pfn < z.start_pfn + z.spanned);
    }
  }
  return eventKey({ step: step + 1, kind, task, zone, pfn });
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
      All events
    </button>
  );
}

function Event({ event }: { event: EventView }) {
  const workbench = useWorkbench();
  const { name, tracepoint, fields, pages } = event;
  const key = useWorkbenchState((state) => keyOfEvent(event, state));
  const isMade = useWorkbenchState((state) => isMadeLit(name, state));
  const isStop = useWorkbenchState(({ breakpoints }) =>
    breakpoints.some(({ watch }) => watch.kind === "event" && watch.name === name),
  );
  const kind = useWorkbenchState(({ engine }) =>
    engine.kind === "ready"
      ? engine.catalog.events.find((other) => other.name === name)
      : undefined,
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
        aria-label={`Stop at every ${name}`}
        onClick={() => workbench.stops.toggle({ kind: "event", name })}
      >
        stop
      </button>
      {!tracepoint && <span className="cap"> engine</span>}
      {pages && (
        <>
          {" "}
          <Name k={`page ${pages[0]}`}>{hex(pages[0])}</Name>
        </>
      )}
      {kind && (
        <small className="about">
          {kind.about} <span className="dim">{kind.source === "Engine" ? "" : kind.source}</span>
        </small>
      )}
      <small>{fields.map(([field, value]) => `${field}=${value}`).join(" ")}</small>
    </li>
  );
}
