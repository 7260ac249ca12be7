import { expect, test } from "vitest";
import type { Rec } from "../../engine/record";
import type { LogEntry } from "../../engine/types";
import { sentencesOf } from "./event-words";
import { NO_BATCHES, plusRecord, unexplained } from "./reclaim";

const event = (name: string, fields: Readonly<Record<string, number | string>>): LogEntry =>
  ({
    name,
    taskName: "kswapd0-37",
    fields: Object.entries(fields).map(([field, value]) => ({
      name: field,
      kind: typeof value === "number" ? "count" : "text",
      value: typeof value === "number" ? value : 0,
      text: String(value),
    })),
  }) as unknown as LogEntry;

test("says why pages of a batch were kept, with the numbers of the event", () => {
  const sentences = sentencesOf(
    event("mm_vmscan_lru_shrink_inactive", {
      nr_scanned: 32,
      nr_reclaimed: 20,
      nr_ref_keep: 7,
      nr_activate_anon: 5,
      priority: 10,
    }),
    4096,
  );
  expect(sentences[0]).toBe("kswapd0-37 finished a batch of 32 pages and reclaimed 20 of them.");
  expect(sentences).toContain("7 pages kept (referenced once: kept for one more round).");
  expect(sentences.at(-1)).toMatch(/^The priority is 10\./);
});

test("says that the event does not print why pages were kept", () => {
  const sentences = sentencesOf(
    event("mm_vmscan_lru_shrink_inactive", { nr_scanned: 18, nr_reclaimed: 15 }),
    4096,
  );
  expect(sentences[1]).toBe("The event does not say why the other pages were not reclaimed.");
});

test("makes no sentence from a number that the trace does not print", () => {
  expect(sentencesOf(event("mm_vmscan_lru_isolate", { nr_scanned: 7 }), 4096)).toEqual([]);
  expect(sentencesOf(event("mm_khugepaged_scan", {}), 4096)).toEqual([]);
});

test("adds up the batches of inactive lists and names the information that events lack", () => {
  const record = (name: string, values: object) => ({ name, values }) as unknown as Rec;
  const sum = [
    record("mm_vmscan_lru_isolate", { lru: 0, nr_scanned: 40, nr_taken: 32 }),
    record("mm_vmscan_lru_isolate", { lru: 1, nr_scanned: 99, nr_taken: 99 }),
    record("mm_vmscan_lru_shrink_inactive", {
      nr_reclaimed: 10,
      nr_activate: 4,
      nr_ref_keep: 6,
      nr_dirty: 3,
    }),
  ].reduce(plusRecord, NO_BATCHES);
  expect(sum).toMatchObject({ batches: 1, scanned: 40, isolated: 32, reclaimed: 10, dirty: 3 });
  expect(unexplained(sum)).toBe(12);
});
