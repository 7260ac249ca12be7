// The texts of stage: plain strings, and functions for texts that contain values.

import { clock, count, counted, duration, hex, orderWords, percent, size } from "../engine/format";

/** `BatchLine.tsx`: The pages that one call of reclaim isolated, and their fates. */
export const BATCH_LINE = {
  theseListsAreEmpty: "These lists are empty.",
  pagesJoinAtHead: "Pages join at the head (left); reclaim isolates up to 32 from the tail.",
  task: (task: number) => `task ${task}`,
  isolated: "isolated <taken/> <list/>:",
  freed: (efficiency: string) => `${efficiency} freed`,
} as const;

/** `LruRows.tsx`: Four lists and the pages in progress, with a line about the fates of a batch. */
export const LRU_ROWS = {
  pagesAtTails: (owner: string) => `Pages at the tails of the LRU lists of ${owner}`,
  noIsolatedPageHere: "No isolated page here",
  isolatedPageOf: (pfn: number, value: number, taken: number, words: string | undefined) =>
    `${hex(pfn)}, isolated page ${count(value)} of ${count(taken)}: ${words}`,
  noPageHere: (name: string) => `${name}: no page here`,
  atTail: "at the tail",
  fromTail: (place: number) => `${count(place)} from the tail`,
  flags: (isReferenced: boolean, isFirstOut: boolean, isReread: boolean) =>
    [
      isReferenced && ", referenced",
      isFirstOut && ", freed when its write ends",
      isReread && ", read again after its eviction",
    ]
      .filter(Boolean)
      .join(""),
  page: (pfn: number, where: string, name: string, state: string, flags: string) =>
    `${hex(pfn)}, ${where} of ${name}: ${state}${flags}`,
  emptySoFar: (lists: string) => `${lists}: empty so far`,
  allFourLists: "all four lists",
  isolated: "isolated",
  activePagesPerInactive: (most: number) =>
    `Active pages per inactive page; above ${most} (↓) reclaim deactivates active pages`,
} as const;

/** `Cards.tsx`: Cards that replace the machine: unavailable, broken, rejected. */
export const CARDS = {
  tooLarge: "This link is too large to open",
  notOurs: "This link is incomplete or not from mmscope",
  newer: "This link was made by a newer version of mmscope",
  invalid: "This link cannot be opened",
  unread: "The engine failed while reading this",
  nothingWasRun: "Nothing was run. Your draft is unchanged.",
  openWithNearestValidValue: "Open with the nearest valid value",
  tryAgain: "Try again",
  cancel: "Cancel",
  keepOpenExperiment: "Keep the open experiment",
  openMyDraft: "Open my draft",
  thisWorkloadCannotRun: "This workload cannot run on this machine",
  thisCombinationCannotRun: "This combination cannot run",
  andMore: (more: number) => `… and ${count(more)} more.`,
  broke: "An internal check of the engine failed, so this machine cannot continue.",
  ended: "This usually means that the device is short of memory. This machine cannot continue.",
  silent:
    "The engine may be busy. This message disappears when the engine responds. If you restart the engine, the machine restarts too.",
  engineDoesNotRespond: "The engine does not respond",
  engineStopped: "The engine stopped",
  after: (step: number) => ` after #${count(step)}`,
  kept: (stopped: string) =>
    `${stopped} Your experiment, position, notes, bookmarks and breakpoints are kept.`,
  restartAtLastPosition: "Restart at the last position",
  restartAt: (max: number) => `Restart at #${count(max)}`,
  thisBrowserHasNoWebassembly: "This browser has no WebAssembly",
  engineDidNotLoad: "The engine did not load",
  needsWebAssembly:
    "mmscope simulates a machine in your browser and needs WebAssembly. Your browser does not support it or has it turned off. Open this page in Chrome, Edge, Firefox or Safari, in a version of the last two years, or turn WebAssembly on. A strict security mode often turns it off.",
  fileMissing:
    "A file of this page is missing or incomplete, or your browser is too old for it. Reload the page. If it fails again, check whether a blocker or proxy blocks the file that ends in .wasm, or try another browser.",
  browserReports: "The browser reports: <message/>",
  yourDraftIsKept: "Your draft is kept. A link you followed is still in the address bar.",
  reload: "Reload",
} as const;

/** `Costs.tsx`: The cost of each page allocated so far. */
export const COSTS = {
  costPerPage: "Cost per page",
  allocated: "allocated",
  whatIsCounted: "Counting rules",
  average: (pages: number) =>
    `Average over ${counted(pages, "page")} allocated since boot in all zones. A block of order n counts as 2^n pages.`,
  scanned:
    "<b>Scanned</b>: pages reclaim isolated to check them, counted each time (pgscan_kswapd and pgscan_direct). Scans by zone_reclaim are listed separately.",
  stalled:
    "<b>Stalled</b>: virtual time of all tasks in direct reclaim and in passes of zone_reclaim, including waits. A stall counts when it ends.",
  fellBackNodeToHelp: (node: number, other: string | undefined) =>
    `Fell back from node ${node} to node ${other}`,
  fellBackNodeTo: (node: number, other: string | undefined) =>
    `Fell back: node ${node} to ${other}`,
  firstAtFor: (name: string) => `first at <time/> for ${name}`,
  goThereLabel: (node: number, other: string | undefined) =>
    `Go to the first fallback from node ${node} to node ${other}`,
  goThere: "Go there",
  readAgain: "Read again",
  rereads: (pages: number) =>
    `<pages/> file ${pages === 1 ? "page" : "pages"} that reclaim had evicted`,
  showOverTime: "Show over time",
} as const;

/** `Cpus.tsx`: Every CPU: the task it runs and the task's activity, waiting tasks, and tasks that have just moved here. */
export const CPUS = {
  cpus: "CPUs",
  node: (node: number) => `Node ${node}`,
  cpu: "CPU <id/>",
  interrupts: "interrupts",
  queue: "queue",
  picks: "picks",
  idleIO: "idle, I/O",
  taskCameFromCpu: (from: number) => `a task came from CPU ${from}`,
  fromCpu: (from: number) => `from CPU ${from}`,
  sinceBoot: "since boot:",
  userModeKernelI: "<i/> user mode<i2/> kernel<i3/> I/O wait<i4/> idle",
  noPlacementDecision: "No placement decision in this step",
} as const;

/** `FaceTabs.tsx`: Tabs that choose which face all nodes show in a shared area. */
export const FACE_TABS = {
  lruLists: "LRU lists",
  freeLists: "Free lists",
  waitQueues: "Wait queues",
  pageblocks: "Pageblocks",
} as const;

/** `FreeHistory.tsx`: A zone's free blocks over the run, one row for each order: how much free memory each order has. */
export const FREE_HISTORY = {
  noDataYet: "no data yet",
  wanted: (order: number) => `▸ ${order} wanted`,
  freeBlocks: (name: string, node: number) =>
    `Free blocks of ${name} on node ${node} over time, by order; heights are square roots of their shares of the free pages`,
  atSOfFreePages: (order: number, page_size: number, to_ns: number, held: string, free: number) =>
    `${orderWords(order, page_size)} at ${clock(to_ns)} s: ${held} of ${counted(free, "free page")}`,
  oneRowPerOrder: "One row per order; height: square root of its share of the free pages",
  lowestAtS: (share: number, to_ns: number) => `; lowest ${percent(share)} at ${clock(to_ns)} s`,
  ofFreeMemory: (now: string, value: number, page_size: number, was: string) =>
    `${now} of free memory is in blocks of ${size(value, page_size)} or larger${was}`,
} as const;

/** `FreeLists.tsx`: A node's free lists, as in pagetypeinfo: one column for each order, one row for each migrate type. */
export const FREE_LISTS = {
  freeLists: "Free lists",
  overTime: "over time",
  free: (free: number) => `<free/> ${free === 1 ? "page" : "pages"} free`,
  moreOnPerCpuLists: ", <pcp/> more on per-cpu lists",
  freeBlocks: (name: string, node: number) =>
    `Free blocks of ${name} on node ${node} by order and migrate type`,
  order: "order",
  ofFreePages: (share: number) => `${percent(share)} of the free pages`,
  was: (was: number) => `, was ${count(was)}`,
} as const;

/** `Io.tsx`: Below the tasks: scanned and freed pages, dirty pages, swap, devices. */
export const IO = {
  reclaimAndDevices: "Reclaim and devices",
  dirtyPages: "Dirty pages",
  dirtyAndUnderWriteback: (dirty: number, writeback: number, background: number, limit: number) =>
    `${count(dirty)} dirty and ${count(writeback)} under writeback; background limit ${count(background)}, limit ${count(limit)}`,
  dirty: "<dirty/> dirty, <writeback/> writeback; <background/>, <limit/>",
  background: (background: number) => `background ${count(background)}`,
  limit: (limit: number) => `limit ${count(limit)}`,
  swap: "Swap",
  ofUsed: (swap_used: number, swap_total: number) =>
    `${count(swap_used)} of ${counted(swap_total, "swap slot")} used`,
  swapSlots: (swap_total: number) =>
    `<swap_used/> of ${counted(swap_total, "slot")}, <swap_cache/> in the swap cache`,
  inFlightQueued: (name: string, inFlight: number, waits: number) =>
    `${name}: ${counted(inFlight, "request")} in flight, ${count(waits)} queued`,
  idle: "idle",
  requests: (depth: number, value: number, value2: number, pages: number) =>
    `<inFlight/> of ${count(depth)} in flight, <waits/> queued: ${counted(value, "read")}, ${counted(value2, "write")}, ${counted(pages, "page")}`,
  congested: (clears_below: number) =>
    `; <met>congested</met> until it has fewer than ${counted(clears_below, "request")}`,
  forFreeRequest: (waiting: number) =>
    `; ${count(waiting)} ${waiting === 1 ? "task waits" : "tasks wait"} for a free request`,
  flusher: (flusher: string) => `; flusher: ${flusher}`,
  scannedFreed: "Scanned, freed",
  pagesSinceBoot: "pages since boot",
  reclaimed: (who: string, seen: number, freed: number) =>
    `${who}: ${count(seen)} scanned, ${count(freed)} freed`,
  kswapdCpuHelp: "Passes of balance_pgdat and CPU time of kswapd since boot, on all nodes",
  kswapdCpu: (passes: number) =>
    `kswapd: <passes/> ${passes === 1 ? "pass" : "passes"}, <cpu_ns/> CPU`,
} as const;

/** `Kswapd.tsx`: A node's kswapd: whether it is awake, and its scan priority while it is. */
export const KSWAPD = {
  priority: (priority: number) => `priority ${priority}`,
  scansPerPass: (share: string) => `scans ${share} per pass`,
  sinceFor: (since: string) => `for ${since}`,
  sinceBoot: "since boot",
  neverWoken: "never woken",
  failures: (failures: number, hopeless: number) =>
    `${failures >= hopeless ? "gave up: " : ""}<failures/> ${failures === 1 ? "run" : "runs"} freed nothing`,
  cpuHelp: (work: string) => `Since boot: ${work}`,
  cpu: "<share/> CPU",
  work: (passes: number, cpu_ns: number) =>
    `${count(passes)} ${passes === 1 ? "pass" : "passes"} of balance_pgdat, ${duration(cpu_ns)} of CPU time`,
  kswapdHelp: "Go to the step of its last change",
  kswapd: (node: number, words: string) => `kswapd${node} ${words}`,
  scanPriority: (priority: number) => `scan priority ${priority}, from 12 down to 0`,
} as const;

/** `Legend.tsx`: The meaning of a page's colours and shapes; for cells, a note that a cell may have several states. */
export const LEGEND = {
  cellStates:
    "Page states. A cell stacks its most common states, four at most, from the bottom in this order. Heights are shares.",
  pageStates: "Page states",
} as const;

/** `Levels.tsx`: A zone's free pages over the last milliseconds, with the tank's scale and watermarks. */
export const LEVELS = {
  freePagesOverLast: (value: number) => `free pages over the last ${duration(value)}`,
} as const;

/** `LocalShares.tsx`: The local share of each process over the run, one line each. */
export const LOCAL_SHARES = {
  noProcess: "this process did not exist then",
  title: "Local share of memory <small>tick: scan; dot: on one node from here on</small>",
  chart: "Local share of memory over time, a line for each process",
} as const;

/** `LruLists.tsx`: A node's LRU lists: one set for each zone, or one for the node, depending on the kernel. */
export const LRU_LISTS = {
  lruListsOf: (owner: string) => `LRU lists of ${owner}`,
  lruLists: "LRU lists",
  sharedByZonesOfNode: (node: number) => `shared by the zones of node ${node}`,
  ofNode: (node: number) => `of node ${node}`,
  congested: "congested",
  oldestPagesTailAtRight: (pages: number) => `${pages} oldest pages, tail at right`,
} as const;

/** `MemoryNodes.tsx`: The memory of each node: the bytes it moved for the CPUs of each node, and the use of memory and links. */
export const MEMORY_NODES = {
  itsMemory: "Its memory",
  memoryByNode: "Memory by node",
  memoryByNodeArea: "Memory by node <small>area: bytes since boot; ring: own CPUs</small>",
  memoryBusy: "memory busy",
  byCpusOfNode: (id: number) => `by CPUs of node ${id}`,
  node: (node: number) => `Node ${node}`,
  link: "link",
} as const;

/**
 * `More.tsx`: A line at the bottom of the stage that scrolls to the rest if the machine does not
 * fit in the window.
 */
export const MORE = {
  moreOfMachineBelow: "More of the machine below",
} as const;

/** `NodePanel.tsx`: One node: its name, its kswapd, and a column for each zone type. */
export const NODE_PANEL = {
  node: "Node",
  noMemoryInItsRange: "this node has no memory in the zone's range",
  noneHere: (why: string) => `none here: ${why}`,
} as const;

/** `OwnerTabs.tsx`: Tabs that choose the zone whose lists or blocks a node shows. */
export const OWNER_TABS = {
  whatOfOwner: (what: string, owner: string) => `${what} of ${owner}`,
} as const;

/** `Pageblocks.tsx`: The pageblocks of one of a node's zones, with the scanners of compaction above them. */
export const PAGEBLOCKS = {
  pageblocksOf: (owner: string) => `Pageblocks of ${owner}`,
  pageblocks: "Pageblocks",
  noBlockHere: "no block here",
  drawnToScale: (words: string) => `${words}, drawn to scale`,
  drawnSizeBelow: (times: number) => `drawn ×${times} the size below`,
  noCompactionRunning: (defers: string) => `No compaction running. ${defers}`,
  task: (task: number) => `task ${task}`,
} as const;

/** `Processes.tsx`: The nodes of each process's memory and threads. */
export const PROCESSES = {
  processesByNode: "Processes by node",
  allProcessesHaveEnded: "All processes have ended.",
  shareOfItsMemory: "share of its memory",
  shareOfItsThreads: "share of its threads",
  node: "node",
  local: "local",
  processesByNodeShares: "Processes by node: shares of memory and of threads",
  localShare: "Local: share of its pages on the node of a thread, averaged over its threads",
} as const;

/**
 * `Queues.tsx`: The queues in which a node's reclaimers wait: the waiting tasks, what would wake
 * them, and how long earlier waits took.
 */
export const QUEUES = {
  none: "No task has been throttled in reclaim so far.",
  waitQueues: "Wait queues",
  ofNode: (id: number) => `of node ${id}`,
  inThisRun: "in this run",
  publishedLogScale: "published (log scale)",
  taskWaits: "1 task waits.",
  tasksWait: (waiters: number) => `${waiters} tasks wait.`,
  andMore: (more: number) => `and ${more} more`,
  task: (task: number) => `task ${task}`,
  awake: "awake",
  left: (left_ns: number) => `${duration(left_ns)} left`,
  continuedAtOnce: "continued at once",
  sleptTimedOut: (lasted: string) => `slept ${lasted}, timed out`,
  wokenByAfter: (lasted: string) => `woken by <nameIn/> after ${lasted}`,
  comparedWith: (value: number, against: number) =>
    `${count(value)}, compared with ${count(against)}`,
  nothingToCompareNow: "nothing to compare now",
  noneSoFar: "none so far",
} as const;

/** `Rounds.tsx`: The duration of each round that a program timed: bars on a logarithmic axis. */
export const ROUNDS = {
  noneTimedSoFar: (name: string) => `${name}: none timed so far`,
  onLogarithmicAxisFromTo: (words: string, from: string | undefined, to: string | undefined) =>
    `${words}; on a logarithmic axis from ${from} to ${to}`,
  fromTo: (many: number, from_ns: number, to_ns: number) =>
    `${count(many)} from ${duration(from_ns)} to ${duration(to_ns)}`,
} as const;

/** `RouteLine.tsx`: The zonelist as a route above the tanks, with the task that walks it. */
export const ROUTE_LINE = {
  noAllocationInProgress: "No allocation in progress.",
  task: (task: number) => `task ${task}`,
  servesIt: " serves it",
  servesItFallback: (node: number, other: string | undefined) =>
    ` serves it, fallback from node ${node} to ${other}`,
  toTry: (allowed: number) => `${counted(allowed, "zone")} to try`,
  tried: (tried: number) => `${counted(tried, "zone")} tried`,
  zoneOf: (value: number, allowed: number, gave: string) => `zone ${value} of ${allowed}${gave}`,
  theirFullFlagsLast: (zap_in_ns: number) =>
    `; their “full” flags last at least ${duration(zap_in_ns)}`,
} as const;

/** `Skeleton.tsx`: The layout of the machine in grey, while the engine starts. */
export const SKELETON = {
  machine: "The machine",
  node: (node: number) => `Node ${node}`,
  engineIsStarting: "The engine is starting.",
} as const;

/** `Stage.tsx`: The machine at one moment: nodes, zones, route, page maps, free lists and tasks. */
export const STAGE = {
  machine: "The machine",
  node: (id: number) => `Node ${id}`,
} as const;

/** `TaskTabs.tsx`: Tabs for the part below the nodes: the tasks in one line, the CPUs, or processes by node. */
export const TASK_TABS = {
  tasks: "Tasks",
  cpus: "CPUs",
  processesByNode: "Processes by node",
} as const;

/** `Tasks.tsx`: The strip of tasks. */
export const TASKS = {
  ready: (cpu: number) => `waits for CPU ${cpu}`,
  tasks: "Tasks",
  reclaims: (share: string, activity: string) => `reclaims ${share} in ${activity}`,
  directReclaim: (share: string, activity: string) => `direct reclaim, ${share}: ${activity}`,
  rss: (rss: number) => `, <rss/> ${rss === 1 ? "page" : "pages"}`,
  wokenBy: (name: string) => `woken by ${name}`,
  goToStep: (name: string) => `Go to the step that put ${name} in this state`,
} as const;

/**
 * `WaitLines.tsx`: Waiting reclaimers, one line for each queue: on a small screen nothing larger
 * fits next to the tank.
 */
export const WAIT_LINES = {
  noneNow: (waits: number) => `none now, ${counted(waits, "wait")} so far`,
  waitQueues: "Wait queues",
  none: "No task has been throttled in reclaim so far.",
  tasks: (waiters: number) => counted(waiters, "task"),
} as const;

/**
 * `ZoneLines.tsx`: A line for each zone: on a small screen next to a text, the tanks of several
 * nodes do not fit.
 */
export const ZONE_LINES = {
  zones: "Zones",
  node: (node: number) => `Node ${node} <name/>`,
  freeLow: (low: number, kept_back: number) =>
    `<free/> free, low ${count(low)}${kept_back > 0 ? ` + ${count(kept_back)}` : ""}`,
  zoneOnNodeOfFree: (name: string, node: number, free: number, present: number) =>
    `Zone ${name} on node ${node}: ${count(free)} of ${counted(present, "page")} free`,
} as const;

/** `ZoneTank.tsx`: One zone: heading with its stop, whole-zone bar, lens and tank. */
export const ZONE_TANK = {
  zoneOfZonelist: (number: number, stop: string) => `zone ${number} of the zonelist, ${stop}`,
  onNode: (name: string, node: number) => `${name} on node ${node}`,
  fullHelp: "Flagged full in the zonelist cache",
  full: "full",
  watermarks: "Watermarks",
  servesRequest: "serves the request",
  notReachedYet: "not reached yet",
  notOnZonelist: "not on the zonelist",
  reservedFromThisRequest: (kept_back: number) =>
    `; ${count(kept_back)} reserved from this request`,
  zoneOnNode: (
    name: string,
    node: number,
    free: number,
    present: number,
    min: number,
    low: number,
    high: number,
    kept: string,
  ) =>
    `Zone ${name} on node ${node}: ${count(free)} of ${counted(present, "page")} free; min ${count(min)}, low ${count(low)}, high ${count(high)}${kept}`,
  leftWholeZoneRight: (scale_pages: number) =>
    `Left: the whole zone. Right: its lowest ${counted(scale_pages, "page")}, enlarged.`,
  zone: "zone",
  lowest: (scale_pages: number) => `lowest ${counted(scale_pages, "page")}`,
  free: "free",
  reserve: "reserve",
} as const;
