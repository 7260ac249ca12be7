import { GROUP_STATES, type GroupMark, groupTankLayout } from "../draw/group-tank";
import { STATES } from "../draw/states";
import { count, duration, size } from "../engine/format";
import type { GroupView, View } from "../engine/types";
import { Name } from "../ui/lit";
import { Swatch } from "../ui/swatch";
import { Term } from "../ui/term";
import "./groups.css";
import { GROUPS } from "./group-words";

const TANK_PX = 92;
const LABELS_PX = 76;
const HEIGHT_PX = 118;
const TOP_PX = 4;
const BOTTOM_PX = HEIGHT_PX - 4;

/** The memory cgroups of the machine, each as a tank with its limits. */
export function Groups({ view, page_size }: { view: View; page_size: number }) {
  return (
    <section className="groups" aria-label={GROUPS.title}>
      <h2 className="label">
        <Term id="memory-cgroup">{GROUPS.title}</Term>
      </h2>
      <ul>
        {view.groups.map((group) => (
          <li key={group.index}>
            <Group group={group} view={view} page_size={page_size} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Group({ group, view, page_size }: { group: GroupView; view: View; page_size: number }) {
  const parent = view.groups.find(({ index }) => index === group.parent);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls
    <div className="memory-group" role="group" aria-label={GROUPS.group(group.path)}>
      <h3>
        {group.name} {parent && <small>{GROUPS.inside(parent.path)}</small>}
      </h3>
      <div className="group-body">
        <Tank group={group} />
        <div className="group-facts">
          <p>
            <b>{size(group.usage, page_size)}</b> {GROUPS.used(group.usage, group.max)}
          </p>
          <Contents group={group} />
          <Processes group={group} />
          <Events group={group} isFirst={view.groups[0] === group} />
        </div>
      </div>
      <Held group={group} view={view} />
    </div>
  );
}

function Tank({ group }: { group: GroupView }) {
  const t = groupTankLayout(group, TOP_PX, BOTTOM_PX);
  const isFull = t.marks.some(({ name, is_reached }) => name === "max" && is_reached);
  return (
    <svg
      className="tank"
      width={TANK_PX + LABELS_PX}
      height={HEIGHT_PX}
      role="img"
      aria-label={GROUPS.tank(group)}
    >
      <title>{GROUPS.scale(t.scale_pages)}</title>
      <rect x="1" y={t.usage_y} width={TANK_PX} height={BOTTOM_PX - t.usage_y} fill="var(--wash)" />
      {t.stack.map(({ state, y, height }) => (
        <rect
          key={state}
          x="1"
          y={y}
          width={TANK_PX}
          height={height}
          fill={`var(--${STATES[state]?.token ?? "reserved"})`}
        />
      ))}
      <rect className="surface" x="1" y={t.usage_y - 1} width={TANK_PX} height="2" />
      {t.marks.map((mark) => (
        <Mark key={mark.name} mark={mark} />
      ))}
      <path
        d={`M0.5 ${TOP_PX}V${BOTTOM_PX + 0.5}H${TANK_PX + 1.5}V${TOP_PX}`}
        fill="none"
        stroke={isFull ? "var(--ink-1)" : "var(--ink-3)"}
        strokeWidth={isFull ? 2 : 1}
      />
    </svg>
  );
}

function Mark({ mark }: { mark: GroupMark }) {
  const { name, pages, y, label_y, dash, is_reached } = mark;
  return (
    <>
      <path d={`M1 ${y}H${TANK_PX + 4}`} className="mark-edge" />
      <path
        d={`M1 ${y}H${TANK_PX + 4}L${TANK_PX + 8} ${label_y}`}
        fill="none"
        stroke="var(--ink-1)"
        strokeWidth={is_reached ? 1.5 : 1}
        strokeDasharray={dash || undefined}
      />
      <text x={TANK_PX + 10} y={label_y + 3.5} className={is_reached ? "mk now" : "mk"}>
        {name} {count(pages)}
      </text>
    </>
  );
}

/** The pages by state, the easiest to reclaim first, as in the tank. */
function Contents({ group }: { group: GroupView }) {
  const { advance_pages } = groupTankLayout(group, TOP_PX, BOTTOM_PX);
  const present = GROUP_STATES.filter((state) => (group.states[state] ?? 0) > 0).reverse();
  return (
    <ul className="group-pages">
      {advance_pages > 0 && <li>{GROUPS.inAdvance(advance_pages)}</li>}
      {present.map((state) => (
        <li key={state}>
          <Swatch token={STATES[state]?.token ?? "reserved"} size_px={9} /> {STATES[state]?.words}{" "}
          {count(group.states[state] ?? 0)}
        </li>
      ))}
      {group.swap > 0 && <li>{GROUPS.inSwap(group.swap)}</li>}
    </ul>
  );
}

function Processes({ group }: { group: GroupView }) {
  if (group.processes.length === 0) return <p className="cap">{GROUPS.noProcesses}</p>;
  return (
    <p className="group-processes">
      {group.processes.map(({ task, name, rss, swapped, dying }) => (
        <span key={task}>
          <Name k={`task ${task}`}>{name}</Name>{" "}
          <span className="cap">{dying ? GROUPS.killed : GROUPS.mapped(rss, swapped)}</span>
        </span>
      ))}
    </p>
  );
}

function Events({ group, isFirst }: { group: GroupView; isFirst: boolean }) {
  const { events, some_ns } = group;
  return (
    <>
      <p className="cap">
        <Term id="memory-events" tabIndex={isFirst ? undefined : -1}>
          {GROUPS.eventsFile}
        </Term>{" "}
        {GROUPS.events(events)}
      </p>
      <p className="cap">{GROUPS.stalled(duration(some_ns))}</p>
    </>
  );
}

/** What the limits make tasks do now; the line keeps its height. */
function Held({ group, view }: { group: GroupView; view: View }) {
  return (
    <p className="group-held">
      {group.held.map(({ task, by }) => (
        <span key={task}>
          <Name k={`task ${task}`}>
            {view.tasks.find(({ id }) => id === task)?.name ?? GROUPS.task(task)}
          </Name>{" "}
          {GROUPS.held[by]}
        </span>
      ))}
    </p>
  );
}
