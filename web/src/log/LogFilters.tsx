import { useState } from "react";
import type { LogFilter } from "../engine/log";
import { NO_KIND } from "../engine/record";
import type { Words } from "../engine/sentence";
import type { Choice, RecordKind } from "../engine/types";
import { ChoiceMenu } from "../ui/menu";
import { isDecisionsOnly } from "./view";
import { LOG_FILTERS } from "./words";

/** Kinds of events that belong together, by the beginnings of their names. */
const GROUPS: readonly { id: string; title: string; names: RegExp }[] = [
  { id: "g pages", title: LOG_FILTERS.pageAllocator, names: /^(mm_page_|split$|merge$)/ },
  { id: "g reclaim", title: LOG_FILTERS.reclaim, names: /^(mm_vmscan_|reclaim_retry)/ },
  {
    id: "g files",
    title: LOG_FILTERS.filesAndWriteback,
    names: /^(mm_filemap_|writeback_|balance_dirty)/,
  },
  { id: "g block", title: LOG_FILTERS.blockDevices, names: /^(block_|wbt_)/ },
];

const ALL = "all";
const TRACEPOINTS = "g tracepoints";
const choice = (id: string, title: string, about = ""): Choice => ({ id, title, about });

/** The numbers of the kinds in a choice. */
function kindsOf(words: Words, id: string): number[] {
  const group = GROUPS.find((each) => each.id === id);
  const isMeant = ([kind, { name, tracepoint }]: [number, RecordKind]) => {
    if (id === TRACEPOINTS) return tracepoint;
    return group ? group.names.test(name) : String(kind) === id;
  };
  return eventsOf(words)
    .filter(isMeant)
    .map(([kind]) => kind);
}

/** The kinds of records that are events, with their indices in the catalog. */
const eventsOf = ({ catalog: { records } }: Words): [number, RecordKind][] =>
  [...records.entries()].filter(([, { kind }]) => kind === "event");

/** The choices for decisions, which explain the events. */
const DECISIONS: readonly Choice[] = [
  choice("none", LOG_FILTERS.none),
  choice("too", LOG_FILTERS.shown, LOG_FILTERS.shownHelp),
  choice("only", LOG_FILTERS.only, LOG_FILTERS.onlyHelp),
];

/** A filter with, without or only decisions. */
function withDecisions(filter: LogFilter, id: string): LogFilter {
  const { decisions: _, ...rest } = filter;
  const kinds = isDecisionsOnly(filter) ? [] : filter.kinds;
  if (id === "none") return { ...rest, kinds };
  return { ...rest, kinds: id === "only" ? [NO_KIND] : kinds, decisions: true };
}

/** The page frames in a text: "0x840", "2112", "0x800-0x8ff"; null if there are none. */
export function readPages(text: string): readonly [number, number] | null {
  const parts = /^\s*(0x[0-9a-f]{1,12}|\d{1,15})\s*(?:[-–]\s*(0x[0-9a-f]{1,12}|\d{1,15})\s*)?$/i;
  const [, first, last = first] = parts.exec(text.replaceAll(",", "")) ?? [];
  if (first === undefined || Number(last) < Number(first)) return null;
  return [Number(first), Number(last)];
}

/** Chips that limit which events the engine collects. */
export function LogFilters({
  words,
  hasDecisions,
  filter,
  setFilter,
}: {
  words: Words;
  /** The run has decisions of the kernel, which no kernel traces. */
  hasDecisions: boolean;
  filter: LogFilter;
  setFilter: (filter: LogFilter) => void;
}) {
  const kinds = [
    choice(ALL, LOG_FILTERS.all),
    choice(TRACEPOINTS, LOG_FILTERS.tracepoints, LOG_FILTERS.tracepointsHelp),
    ...GROUPS.map(({ id, title }) => choice(id, title)),
    ...eventsOf(words).map(([kind, { name, tracepoint }]) =>
      choice(String(kind), name, tracepoint ? "" : LOG_FILTERS.ownEventHelp),
    ),
  ];
  const tasks = [...words.tasks].map(([id, { name, pid }]) =>
    choice(String(id), name, `pid ${pid}`),
  );
  const zones = words.zones.map((key, index) => choice(String(index), key));
  const same = kinds.find(
    ({ id }) => id !== ALL && kindsOf(words, id).join() === filter.kinds.join(),
  );
  const kind = filter.kinds.length === 0 ? ALL : (same?.id ?? ALL);
  return (
    <>
      <Chip
        label={LOG_FILTERS.task}
        chosen={filter.task === null ? ALL : String(filter.task)}
        choices={[choice(ALL, LOG_FILTERS.all), ...tasks]}
        choose={(id) => setFilter({ ...filter, task: id === ALL ? null : Number(id) })}
      />
      <Chip
        label={LOG_FILTERS.event}
        chosen={kind}
        choices={kinds}
        choose={(id) => setFilter({ ...filter, kinds: id === ALL ? [] : kindsOf(words, id) })}
      />
      {hasDecisions && (
        <Chip
          label={LOG_FILTERS.decisions}
          chosen={isDecisionsOnly(filter) ? "only" : filter.decisions ? "too" : "none"}
          choices={DECISIONS}
          choose={(id) => setFilter(withDecisions(filter, id))}
        />
      )}
      <Chip
        label={LOG_FILTERS.zone}
        chosen={filter.zone === null ? ALL : String(filter.zone)}
        choices={[choice(ALL, LOG_FILTERS.all), ...zones]}
        choose={(id) => setFilter({ ...filter, zone: id === ALL ? null : Number(id) })}
      />
      <PageField filter={filter} setFilter={setFilter} />
    </>
  );
}

function Chip({
  label,
  chosen,
  choices,
  choose,
}: {
  label: string;
  chosen: string;
  choices: readonly Choice[];
  choose: (id: string) => void;
}) {
  const title = choices.find(({ id }) => id === chosen)?.title ?? LOG_FILTERS.all;
  return (
    <ChoiceMenu
      label={label}
      buttonText={title}
      chosen={chosen}
      choices={choices}
      choose={choose}
    />
  );
}

const pagesWords = (pages: LogFilter["pages"]): string => {
  if (!pages) return "";
  const [first, last] = pages.map((pfn) => `0x${pfn.toString(16)}`);
  return first === last ? `${first}` : `${first}-${last}`;
};

/** One page frame or a range of them; applied on Enter or when the field loses the focus. */
function PageField({
  filter,
  setFilter,
}: {
  filter: LogFilter;
  setFilter: (filter: LogFilter) => void;
}) {
  const known = pagesWords(filter.pages);
  const [draft, setDraft] = useState({ of: known, text: known });
  const text = draft.of === known ? draft.text : known;
  const isWrong = text.trim() !== "" && readPages(text) === null;
  const take = () => {
    if (isWrong || text === known) return;
    const pages = text.trim() === "" ? null : readPages(text);
    setFilter({ ...filter, pages });
  };
  return (
    <label className="log-page">
      <span>{LOG_FILTERS.page}</span>
      <input
        className="field"
        value={text}
        placeholder="0x840-0x87f"
        aria-label={LOG_FILTERS.pageHelp}
        aria-invalid={isWrong}
        onChange={(event) => setDraft({ of: known, text: event.currentTarget.value })}
        onBlur={take}
        onKeyDown={(event) => event.key === "Enter" && take()}
      />
    </label>
  );
}
