// Plays ready-made runs by events on the test's clock. Checks which events are shown, in which order, and
// that the view never pauses for long.

import { beforeEach, expect, test } from "vitest";
import { startInProcess } from "../../engine/in-process.test-support";
import type { Frame } from "../../engine/protocol";
import { type MomentKind, wordsIn } from "../../story/telling";
import { Workbench } from "../controller";

// Clear the draft that a browser stores, so that each test opens its own run.
beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

/** The longest time without anything new, ms. A longer pause looks like a failure. */
const MOST_STILL_MS = 4000;
const MOST_WORDS = 12;

/** The parts of a view other than the clock: pages, watermarks and tasks. */
const seenIn = ({ view, maps }: Frame) =>
  JSON.stringify([
    view.zones.map(({ free, min, low, high }) => [free, min, low, high]),
    view.tasks.map(({ id, state, function: name, rss }) => [id, state, name, rss]),
    maps.map((map) => (map.kind === "frames" ? [...map.states].join("") : [...map.shares].join())),
  ]);

interface Show {
  readonly kinds: readonly MomentKind[];
  /** The longest time without anything new, ms. */
  readonly still_ms: number;
  readonly most_words: number;
}

/** More events than any of the stories needs. */
const MOST_TOLD = 400;

/** Plays a run until events of all these kinds were shown, or until it ends. */
async function played(preset: string, awaited: readonly MomentKind[]): Promise<Show> {
  let now = 0;
  const clock = {
    now: () => now,
    later: (work: () => void, ms: number) => {
      let isOn = true;
      setTimeout(() => {
        now += ms;
        if (isOn) work();
      });
      return () => {
        isOn = false;
      };
    },
  };
  const bench = new Workbench(startInProcess, { ownsAddress: false, clock });
  const kinds: MomentKind[] = [];
  let [still_ms, most_words, changed, seen] = [0, 0, 0, ""];
  const sees = () => {
    still_ms = Math.max(still_ms, now - changed);
    changed = now;
  };
  try {
    await new Promise<void>((done, fail) => {
      let isOpened = false;
      bench.store.subscribe((state, before) => {
        if (state.trap) fail(new Error(state.trap.message));
        const isReady = state.engine.kind === "ready";
        if (isReady && before.engine.kind !== "ready") setTimeout(() => bench.openPreset(preset));
        // The requested run, not the one that a workbench opens first.
        if (!state.session || JSON.parse(state.session.experiment).id !== preset) return;
        const { now: moment } = state.story;
        // An event counts as shown when it is first in the ticker, whatever frames arrive.
        if (isOpened && moment && moment !== before.story.now) {
          kinds.push(moment.kind);
          most_words = Math.max(most_words, wordsIn(moment.sentence));
          sees();
          const isReached = awaited.every((kind) => kinds.includes(kind));
          if (isReached || kinds.length >= MOST_TOLD) done();
        }
        const frame = state.session?.frame;
        if (!frame || frame === before.session?.frame) return;
        setTimeout(() => bench.painted());
        if (!isOpened) {
          if (frame.mode.kind !== "paused") return;
          isOpened = true;
          setTimeout(() => bench.transport.play());
          return;
        }
        const picture = seenIn(frame);
        if (picture !== seen) sees();
        seen = picture;
        if (frame.view.position.ended) done();
      });
    });
  } finally {
    bench.dispose();
  }
  return { kinds, still_ms, most_words };
}

/** The first appearance of each kind, in order. */
const firsts = (kinds: readonly MomentKind[]) => [...new Set(kinds)];

/** The requested kinds in the order of their first appearance, without the other kinds. */
const inOrder = (show: Show, awaited: readonly MomentKind[]) =>
  firsts(show.kinds).filter((kind) => awaited.includes(kind));

const STORIES: readonly [string, readonly MomentKind[]][] = [
  [
    "streaming-reader.teach",
    [
      "zone refused",
      "first page from another node",
      "kswapd woken",
      "mark crossed downwards",
      "batch isolated",
      "batch done",
      "mark crossed upwards",
    ],
  ],
  [
    "anon-hog.teach",
    [
      "zone refused",
      "mark crossed downwards",
      "first page from another node",
      "kswapd woken",
      "batch isolated",
      "batch done",
      "stall begun",
    ],
  ],
  [
    "out-of-memory.teach",
    [
      "kswapd woken",
      "batch done",
      "stall begun",
      "swap full",
      "reclaim gives up",
      "out of memory",
      "memory back",
    ],
  ],
  ["kernel-among-user.teach", ["zone refused", "kernel page among movable"]],
  ["dirty-writer.teach", ["write-out begun", "throttle begun", "kswapd asleep", "throttle ended"]],
  [
    "first-touch.teach",
    [
      "zone refused",
      "stall begun",
      "batch isolated",
      "batch done",
      "stall ended",
      "first page from another node",
    ],
  ],
  [
    "fsmark.teach",
    [
      "write-out begun",
      "write-out ended",
      "zone refused",
      "stall begun",
      "batch isolated",
      "first page from another node",
      "batch done",
    ],
  ],
];

test.each(STORIES)(
  "%s shows its events in order and never pauses for long",
  async (preset, order) => {
    const show = await played(preset, order);
    expect(inOrder(show, order)).toEqual(order);
    expect(show.still_ms).toBeLessThanOrEqual(MOST_STILL_MS);
    expect(show.most_words).toBeLessThanOrEqual(MOST_WORDS);
  },
  120_000,
);
