// The texts of debugger/explain: plain strings, and functions for texts that contain values.

import { count, counted, duration, hex, percent } from "../../engine/format";

/**
 * `AccessPart.tsx`: The last access of the selected task, or of any task, with its cost and the
 * reasons for the cost.
 */
export const ACCESS_PART = {
  noneYet: "No task has accessed a resident page since boot.",
  noneOf: (task: string | undefined) =>
    `${task ?? "The task"} has not accessed a resident page since boot.`,
  onCpu: (cpu: number) => `<name/> on CPU ${cpu}: <b/>`,
  task: (task: number) => `task ${task}`,
  remoteAccess: "a remote access",
  localAccess: "a local access",
  costOfThisAccess: "Cost of this access without waiting",
  itsOwnNode: "its own node",
  pageAndCpu: "The page and the CPU are on the same node, so the access crosses no link.",
  queuesOnItsPath: "Queues on the path of the access, at this moment",
  noWait: "no wait",
  wait: (queue_ns: number) => `wait ${duration(queue_ns)}`,
  itsLastWaitAfter: "The most recent wait, after a series of accesses",
  whereFrom: (where: string) => `from ${where}`,
  here: "here",
  hereNsMore: (value: number) => `here, ${count(value)} ns more`,
  memoryOfNode: (node: number) => `memory of node ${node}`,
  directionToCpusOfNode: (from: number) => `direction to the CPUs of node ${from}`,
  linkBetweenNodesAnd: (node: number, from: number) => `link between nodes ${node} and ${from}`,
  directionFromMemory: (node: number, from: number) =>
    `direction from the memory of node ${node} to the CPUs of node ${from}`,
  nothingIsQueuedAccess: "Nothing is queued: an access made now does not wait.",
  accessMadeNowWaits: (queue_ns: number, longest: string) =>
    `An access made now waits ${duration(queue_ns)} for the ${longest}: earlier accesses are still being served.`,
} as const;

/** `AgesPart.tsx`: The ages at which reclaim freed pages, by zone, over the run so far. */
export const AGES_PART = {
  findAges: "find the ages",
  findThem: "Find them",
  reclaimHasFreed: "Reclaim has freed no page since boot.",
  fromBootToAge: (step: number) =>
    `From boot to #${count(step)}: age of each reclaimed page, counted from its allocation in virtual time. Pages freed with their inode or owner are not counted.`,
  freedMedianAge: (pages: number, median_ns: number) =>
    `<key/>: ${count(pages)} freed, median age ${duration(median_ns)}`,
} as const;

/**
 * `AttemptPart.tsx`: How a request for a huge page was served: the request of the selected task or
 * the last request, and totals.
 */
export const ATTEMPT_PART = {
  noTaskHasRequested: "No task has requested a block above order 3 since boot.",
  hasRequestedNoBlock: (name: string | undefined) =>
    `${name ?? "The task"} has requested no block above order 3 since boot.`,
  allAttemptsSoFar: "All attempts so far",
  findAllAttempts: "find all attempts",
  findThem: "Find them",
  task: (task: number) => `task ${task}`,
  requested: "<task/> requested <order/>.",
  requests: "<task/> requests <order/> and has none yet.",
  after: (outcome: string, took: number) => `${outcome} after ${duration(took)}.`,
  inProgress: "in progress",
  noBlockWasAllocated: "No block was allocated: the request fails.",
  blockAtIsAllocated: "The block at <pfn/> is allocated.",
  moved: (moved: number) => `, ${counted(moved, "page")} moved`,
  freeBlockWasAvailable: "A free block was available",
  directCompactionFreedBlock: (pages: string) => `Direct compaction freed a block${pages},`,
  reclaimFreedBlock: (pages: string) => `Reclaim freed a block${pages},`,
  itFailed: (pages: string) => `It failed${pages},`,
  movedFailed: (moved: number, failed: number) =>
    `${counted(moved, "page")} moved, ${count(failed)} failed`,
  runsPages: (runs: number, pages: string) =>
    `${runs === 1 ? "Compaction" : `Compaction, ${counted(runs, "run")}`}: ${pages}.`,
  freed: (nr_reclaimed: number) => `${counted(nr_reclaimed, "page")} freed`,
  directReclaimOfCompaction: (freed: string, runs: number, pages: string) =>
    `Direct reclaim: ${freed}${runs > 0 ? `; ${counted(runs, "run")} of compaction after its batches, ${pages}` : ""}.`,
} as const;

/** `AttemptSums.tsx`: The number of attempts with each result, and how long they took. */
export const ATTEMPT_SUMS = {
  freeBlock: "free block",
  directCompaction: "direct compaction",
  reclaim: "reclaim",
  failed: "failed",
  noAttemptHasEnded: "No attempt has ended.",
  outcome: "outcome",
  count: "count",
  median: "median",
} as const;

/** `ExplainPanel.tsx`: The debugger's tab of explanations: page lifetimes, passes of reclaim, allocations, waits in reclaim, requests for huge pages, and the cost of accesses. */
export const EXPLAIN_PANEL = {
  charge: "Cgroup limit",
  pageFrame: "Page frame",
  reclaim: "Reclaim",
  allocation: "Allocation",
  wait: "Wait",
  hugePage: "Huge page",
  access: "Access",
  explain: "Explain",
  whatToExplain: "Subject of the explanation",
} as const;

/** `FunnelPart.tsx`: The results of reclaim: one pass over an inactive list, or the whole run so far. */
export const FUNNEL_PART = {
  whichPasses: "Which passes",
  lastPass: "The last pass",
  runSoFar: "The run so far",
  ages: "Ages",
  reclaimHasScanned: "Reclaim has scanned no page since boot.",
  task: (task: number) => `task ${task}`,
  pass: (isKswapd: boolean | undefined, hasOwner: boolean, priority: string, isDone: boolean) =>
    [
      "<task/>",
      isKswapd === undefined ? "" : isKswapd ? ", for its node" : ", for its own request",
      hasOwner ? ", from <list/> of <owner/>" : ", from <list/>",
      priority && `, ${priority}`,
      ". Isolated at <isolated/>",
      isDone ? ", put back at <done/>." : ", still isolated.",
    ].join(""),
  thisPass: "This pass",
  node: (of: string) => `node ${of}`,
  priorityAllOfList: "priority 0: all of the list",
  priorityOfList: (priority: number, value: number) =>
    `priority ${priority}: 1/${count(value)} of the list`,
  everyPageScanned: "Every page scanned was skipped: none was isolated.",
  isolatedFreed: (taken: number, freedIn: number, putBackIn: number, ahead: number) =>
    `${count(taken)} isolated = ${count(freedIn)} freed + ${count(putBackIn)} to be put back + ${count(ahead)} not decided yet.`,
  isolatedFreedPutBackAnd: (
    taken: number,
    freedIn: number,
    putBackIn: number,
    holds: boolean,
    reclaimed: number,
    kept: number,
  ) =>
    `${count(taken)} isolated = ${count(freedIn)} freed + ${count(putBackIn)} put back${holds ? ", which matches the pass’s own count." : `, but the pass itself counted ${count(reclaimed)} freed and ${count(kept)} put back.`}`,
  addUpItsPasses: "add up its passes",
  addUp: "Add up",
  passesByWho: (passes: number, who: string) =>
    `${count(passes)} by ${who === "kswapd" ? "kswapd" : "direct reclaim"}`,
  fromBootTo: (step: number, passes: number, parts: string) =>
    `From boot to #${count(step)}: ${counted(passes, "pass", "passes")}, ${parts}.`,
  moreFreedInBatches: (pending: number) =>
    `${count(pending)} more freed in batches still isolated. The kernel counts them when it puts the rest back.`,
  check: (here: number, what: string, total: number) =>
    `${count(here)} ${what} here ${here === total ? "=" : "≠"}`,
  sameAsInProcVmstat: ", the same as in /proc/vmstat.",
  theyDifferPart: ". The numbers differ: some of the reclaim was not recorded as passes.",
} as const;

/** `FunnelTable.tsx`: A funnel as bars with numbers: each starts at the end of the bar before. */
export const FUNNEL_TABLE = {
  referencedOnce: "referenced: kept for one more round",
  cleanAndNotReferenced: "clean and not referenced",
  itsLastUserReleased: "the last user released the page while it was isolated",
  writeMustEndFirst: "the write must end first",
  dirtyLeftToFlushers: "dirty: left to the flushers",
  flushersWriteIt: "the flushers write it",
  freedWhenWriteHasEnded: "freed when the write has ended",
  thisReclaimer: "this reclaimer may not write it",
  itsDeviceIsCongested: "the page's device is congested",
  mustNotBeUnmapped: "must not be unmapped",
  byAnotherTask: "by another task",
  movedToUnevictableList: "moved to the unevictable list",
  noSwapSlot: "no swap slot",
  swapIsFullActivated: "swap is full: activated",
  thisRequest: "this request may not do I/O",
  scanned: "scanned",
  skipped: "skipped",
  itsZoneIsToo: "the zone is too high for this request",
  isolated: "isolated",
  notDecidedYet: "not decided yet",
  outcomeOfPages: (label: string) => `${label}: outcome of the pages`,
  freedInTotal: "freed in total",
  ofScanned: (value: number) => `${percent(value)} of scanned`,
  putBackInTotal: "put back in total",
  none: (none: string) => `None: ${none}.`,
} as const;

/** `LifePart.tsx`: The life of the selected page frame, or of the one in the last step. */
export const LIFE_PART = {
  selectPageFrame:
    "Select a page frame in the map, in a list or in a sentence to read its history since boot.",
  pageOfLastStep: (last: number) => `Page of the last step: ${hex(last)}`,
  ofLastStep: "of the last step",
  wordsNow: (words: string) => `${words} now`,
  recentOnly: "For a machine of this size, only the last 512 steps are available.",
  nothingHappened: (from: string) => `Nothing happened to this frame between ${from} and now.`,
  never: (did: string) => `never ${did}`,
  once: (did: string) => `${did} once`,
  times: (did: string, n: number) => `${did} ${counted(n, "time")}`,
  earlierEventsAreNotKept: " Earlier events are not kept.",
  whatHappened: "What happened to this page frame",
  earlierSteps: (value: number) => counted(value, "earlier step"),
  here: "here",
} as const;

/**
 * `SoFar.tsx`: A sum over the run from boot to now; on a full-size machine it is computed only on
 * request.
 */
export const SO_FAR = {
  addedUpToOnly: (step: number) => `The sum ends at #${count(step)}.`,
  toRunSoFar: (about: string, time_ns: number) =>
    `To ${about}, the run so far (${duration(time_ns)}) is replayed.`,
} as const;

/**
 * `WaitPart.tsx`: A wait in reclaim, of the selected task or the last one: the cause and the end of
 * the wait.
 */
export const WAIT_PART = {
  noneYet: "No task has been throttled in reclaim since boot.",
  noneOf: (name: string | undefined) =>
    `${name ?? "The task"} has not been throttled in reclaim since boot.`,
  task: (task: number) => `task ${task}`,
  continuedAtOnceThere: "<task/> continued at once: there was nothing to wait for.",
  checksWhetherItMustWait: "<task/> checks whether it must wait.",
  waits: "<task/> waits.",
  waitedUntilTimeout: "<task/> waited until the timeout.",
  wasWokenBy: "<task/> was woken by <waker/>.",
  itTimesOut: (max: number) =>
    `It times out in ${duration(max)} unless another task ends the wait.`,
} as const;

/** `WhyBranches.tsx`: The branch that the last decision took, and the other branch. */
export const WHY_BRANCHES = {
  noOtherBranch: "No other branch of this decision is described.",
  taken: "Taken:",
  notTaken: "Not taken:",
} as const;

/** `bits.tsx`: Small components that the parts of the panel share. */
export const BITS = {
  goToStep: (step: number) => `Go to step ${count(step)}`,
  failed: (failure: string) => `This could not be found: ${failure}.`,
  searching: (at: number, from: number, to: number) =>
    `Searching: at #${count(at)}, from #${count(from)} to #${count(to)}`,
  stop: "Stop",
  continue: "Continue",
} as const;

/** `hooks.ts`: Hooks of the panel's parts: one reader of the engine's log, and a search that starts anew when its subject changes. */
export const HOOKS = {
  notRecorded:
    "for a machine of this size, only the last 512 steps are available, and they do not contain this event",
} as const;

/** `ChargePart.tsx`: A charge at the limit of a memory cgroup. */
export const CHARGE_PART = {
  none: (task: string | null) =>
    task === null
      ? "No charge has hit memory.max of a cgroup so far."
      : `No charge of ${task} has hit memory.max of a cgroup so far.`,
  task: (task: number) => `task ${task}`,
  foundRoom: "<task/> hit memory.max of its cgroup. Reclaim made room, and the charge succeeded.",
  failed: "<task/> hit memory.max of its cgroup, and the charge failed.",
  nobody:
    "<task/> hit memory.max of its cgroup. Reclaim made no room, and no process could be killed.",
  killed:
    "<task/> hit memory.max of its cgroup. Reclaim made no room, so the OOM killer of the cgroup killed <victim/>, its largest process.",
  runsOomKiller:
    "<task/> hit memory.max of its cgroup. Reclaim made no room: it calls the OOM killer.",
  reclaims: "<task/> hit memory.max of its cgroup and reclaims pages from it.",
  scannedPages: (reclaims: number) => `Pages scanned in ${counted(reclaims, "reclaim")}`,
  funnel: "for this charge",
  nothingScanned: "None: no list of the cgroup had pages that this reclaim could free.",
  leftIn: (path: string) => `In ${path} at this moment`,
  obstacles: {
    none: "clean file pages: reclaim frees them unless they are in use",
    "no-swap": "anonymous pages: the machine has no swap, so they cannot be reclaimed",
    "swap-full": "anonymous pages: swap is full, so they cannot be reclaimed",
    "swap-limit": "anonymous pages: the cgroup has reached memory.swap.max, so they stay",
    "swap-out": "anonymous pages: reclaim must write them to swap first",
    dirty: "dirty file pages: they must be written to their device first",
    writeback: "pages under writeback: the write must end first",
    isolated: "isolated pages: a reclaimer is checking them",
    locked: "unevictable pages: a process has locked them in memory",
    kernel: "page tables and other kernel pages: they stay until their process ends",
    advance: "kernel objects, and pages that a CPU charged in advance",
  },
} as const;
