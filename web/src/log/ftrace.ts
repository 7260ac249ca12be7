// The log as the lines a kernel's own trace file has, in the print format of its release.

import type { LogEvent, LogField } from "./rows";

/** Events a release calls by another name: before (or from) a release, the name there. */
interface Release {
  /** 3.3 renamed two events of the page allocator. */
  readonly hasOldFrees: boolean;
  /** A column of flags between CPU and time, as it looks in a task; none before 3.3. */
  readonly flags: string;
  /** Width of a process id. */
  readonly pidWidth: number;
  /** Page frame numbers in hex (5.14 on). */
  readonly isHexPfn: boolean;
  /** Reclaim says its list by name, kswapd is woken with gfp flags and so on. */
  readonly isLong: boolean;
  /** mm_vmscan_writepage is called mm_vmscan_write_folio. */
  readonly hasFolios: boolean;
  /** Migrate types by the engine's index: their numbers in this release. */
  readonly types: readonly number[];
}

/** Engine order: unmovable, movable, reclaimable, reserve or highatomic. */
const OLD_TYPES = [0, 2, 1, 3];
const NEW_TYPES = [0, 1, 2, 3];

/** The releases that kernels named after a patch are made of. */
const PATCHED: Readonly<Record<string, string>> = { "checklow-v2r14": "3.16" };

/** The release nearest to a kernel's id: "3.0" to "6.12". */
function releaseOf(kernel: string): Release {
  const [major = 0, minor = 0] = (PATCHED[kernel] ?? kernel).split(".").map(Number);
  const from = (a: number, b: number) => major > a || (major === a && minor >= b);
  return {
    hasOldFrees: !from(3, 3),
    flags: from(5, 15) ? "....." : from(3, 3) ? "...." : "",
    pidWidth: from(5, 10) ? 7 : 5,
    isHexPfn: from(5, 14),
    isLong: from(4, 8),
    hasFolios: from(6, 1),
    types: from(3, 19) ? NEW_TYPES : OLD_TYPES,
  };
}

/** A name as scripts read it: letters, digits and dashes, at most 15. */
const comm = (name: string): string => name.replaceAll(/[^A-Za-z0-9-]+/g, "-").slice(0, 15);

/** Traces begin at 1 s: scripts take a time of 0 for none at all. */
const START_NS = 1_000_000_000;

function clockWords(time_ns: number): string {
  const us = Math.floor((time_ns + START_NS) / 1000);
  const micros = String(us % 1_000_000).padStart(6, "0");
  return `${String(Math.floor(us / 1_000_000)).padStart(5)}.${micros}`;
}

/** Details where a release prints other fields than the engine records, or in another order. */
type Details = (of: (name: string) => number, text: (name: string) => string, r: Release) => string;

const FIELDS: Readonly<Record<string, Details>> = {
  mm_page_alloc: (_, text) =>
    `${text("pfn")} order=${text("order")} migratetype=${text("migratetype")} gfp_flags=${text("gfp_flags")}`,
  mm_page_free_batched: (_, text, r) => `${text("pfn")} order=0${r.hasOldFrees ? " cold=0" : ""}`,
  mm_page_alloc_extfrag: (of, text, r) =>
    [
      text("pfn"),
      `alloc_order=${of("alloc_order")} fallback_order=${of("fallback_order")}`,
      `alloc_migratetype=${r.types[of("alloc_migratetype")]}`,
      `fallback_migratetype=${r.types[of("fallback_migratetype")]}`,
      `change_ownership=${of("change_ownership")}`,
    ].join(" "),
  mm_vmscan_direct_reclaim_begin: (of, text, r) =>
    r.isLong
      ? `order=${of("order")} gfp_flags=${text("gfp_flags")}`
      : `order=${of("order")} may_writepage=${of("may_writepage")} gfp_flags=${text("gfp_flags")}`,
  mm_vmscan_wakeup_kswapd: (of, _, r) =>
    r.isLong
      ? `nid=${of("nid")} order=${of("order")}`
      : `nid=${of("nid")} zid=${of("zid")} order=${of("order")}`,
  mm_vmscan_lru_isolate: (of, text, r) =>
    r.isLong
      ? `order=${of("order")} nr_requested=${of("nr_requested")} nr_scanned=${of("nr_scanned")} nr_skipped=${of("nr_skipped")} nr_taken=${of("nr_taken")} lru=${text("lru")}`
      : `order=${of("order")} nr_requested=${of("nr_requested")} nr_scanned=${of("nr_scanned")} nr_taken=${of("nr_taken")}`,
  mm_vmscan_lru_shrink_inactive: (of, _, r) => {
    const outcomes = of("outcomes");
    const [kept, writeback, dirty, immediate] = [0, 8, 16, 24].map((s) => (outcomes >>> s) & 0xff);
    const kind = of("flags") & 1 ? "RECLAIM_WB_FILE" : "RECLAIM_WB_ANON";
    const flags = `priority=${of("priority")} flags=${kind}|RECLAIM_WB_ASYNC`;
    const sums = `nid=${of("nid")} nr_scanned=${of("nr_scanned")} nr_reclaimed=${of("nr_reclaimed")}`;
    if (!r.isLong) return `${sums} ${flags}`;
    return `${sums} nr_dirty=${dirty} nr_writeback=${writeback} nr_immediate=${immediate} nr_ref_keep=${kept} ${flags}`;
  },
  mm_vmscan_lru_shrink_active: (of) => {
    const kind = of("flags") & 1 ? "RECLAIM_WB_FILE" : "RECLAIM_WB_ANON";
    return `nid=${of("nid")} nr_taken=${of("nr_taken")} nr_deactivated=${of("nr_deactivated")} nr_referenced=${of("nr_referenced")} priority=${of("priority")} flags=${kind}|RECLAIM_WB_ASYNC`;
  },
  mm_vmscan_throttled: (of) =>
    `nid=${of("nid")} usec_timeout=${of("usec_timeout")} usect_delayed=${of("usec_delayed")} reason=${THROTTLES[of("reason")]}`,
  mm_vmscan_writepage: (of, text) =>
    `${text("pfn")} flags=${of("file") ? "RECLAIM_WB_FILE" : "RECLAIM_WB_ANON"}|RECLAIM_WB_ASYNC`,
  reclaim_retry_zone: (of, text) => {
    const [node = "0", zone = ""] = text("zone").split("/");
    const pages = ["reclaimable", "available", "min_wmark", "no_progress_loops"];
    return `node=${node} zone=${zone.padEnd(8)} order=${of("order")} ${pages.map((name) => `${name}=${of(name)}`).join(" ")}`;
  },
};
const THROTTLES = [
  "VMSCAN_THROTTLE_WRITEBACK",
  "VMSCAN_THROTTLE_ISOLATED",
  "VMSCAN_THROTTLE_NOPROGRESS",
  "VMSCAN_THROTTLE_CONGESTED",
];

/** Events whose names and fields are the kernel's; all others get a name of their own. */
const isKernels = ({ name, isTracepoint }: LogEvent): boolean =>
  isTracepoint &&
  (/^(mm_page_|mm_vmscan_)/.test(name) || Object.hasOwn(FIELDS, name) || CONGESTION.has(name));
const CONGESTION = new Set(["writeback_congestion_wait", "writeback_wait_iff_congested"]);

function nameIn(release: Release, event: LogEvent): string {
  if (!isKernels(event)) return `mmscope_${event.name}`;
  if (release.hasOldFrees && event.name === "mm_page_free") return "mm_page_free_direct";
  if (release.hasOldFrees && event.name === "mm_page_free_batched") return "mm_pagevec_free";
  if (release.hasFolios && event.name === "mm_vmscan_writepage") return "mm_vmscan_write_folio";
  return event.name;
}

/** gfp flags before 4.4: other names for two of them, and no underscores. */
const oldGfp = (flags: string): string =>
  flags
    .split("|")
    .filter((flag) => flag !== "__GFP_KSWAPD_RECLAIM")
    .map((flag) => (flag === "__GFP_DIRECT_RECLAIM" ? "GFP_WAIT" : flag.replace("__GFP_", "GFP_")))
    .join("|");

/** A field as the kernel prints it: no thousands, page frames as this release does. */
function printed(release: Release, { kind, value, text }: LogField): string {
  if (kind === "page") {
    if (value === null) return "page=0000000000000000 pfn=0";
    // No kernel shows where its page records lie any more: a stable address that is none.
    const page = (0xea000000 + value * 64).toString(16).padStart(16, "0");
    const pfn = release.isHexPfn ? `0x${value.toString(16)}` : value;
    return `page=${page} pfn=${pfn}`;
  }
  if (kind === "type") return String(release.types[value ?? 0] ?? value);
  if (kind === "gfp") {
    const known = release.isLong ? text : oldGfp(text);
    return known === "0" || known === "" ? (release.isLong ? "none" : "GFP_NOWAIT") : known;
  }
  return kind === "number" || kind === "node" ? String(value) : text;
}

function details(release: Release, event: LogEvent, zoneTypes: readonly string[]): string {
  const field = (name: string) => event.fields.find((each) => each.name === name);
  const of = (name: string) => {
    const found = field(name);
    // The kernel numbers the zones of a node.
    return found?.kind === "zone"
      ? zoneTypes.indexOf(found.text.split("/")[1] ?? "")
      : (found?.value ?? 0);
  };
  const text = (name: string) => {
    const found = field(name);
    return found ? printed(release, found) : "";
  };
  const own = isKernels(event) ? FIELDS[event.name] : undefined;
  if (own) return own(of, text, release);
  return event.fields
    .map((each) => (each.kind === "page" ? text(each.name) : `${each.name}=${text(each.name)}`))
    .join(" ");
}

/** What readers of the lines must know: a comment, which scripts pass over. */
const NOTE = [
  "# tracer: nop",
  "#",
  "# Simulated. Fields the simulation does not have are left out, and events it has beside",
  "# the kernel's begin with mmscope_. The clock begins at 1 s.",
  "#",
];

/**
 * The lines of a trace file, in the print format of a kernel given by its id, of a machine with
 * zones of these types. Decisions are left out.
 */
export function ftrace(
  events: readonly LogEvent[],
  kernel: string,
  zoneTypes: readonly string[],
): string {
  const release = releaseOf(kernel);
  // A run goes on where its clock is behind; a trace file has the events of all CPUs by their time.
  // Decisions are no events of a kernel.
  const byTime = events
    .filter(({ sentence }) => sentence === null)
    .sort((a, b) => a.time_ns - b.time_ns);
  const lines = byTime.map((event) => {
    const pid = String(event.pid).padEnd(release.pidWidth);
    const task = `${comm(event.taskName).padStart(16)}-${pid}`;
    const flags = release.flags ? `${release.flags} ` : "";
    const cpu = `[${String(event.cpu).padStart(3, "0")}]`;
    const head = `${task} ${cpu} ${flags}${clockWords(event.time_ns)}`;
    return `${head}: ${nameIn(release, event)}: ${details(release, event, zoneTypes)}`;
  });
  return [...NOTE, ...lines, ""].join("\n");
}
