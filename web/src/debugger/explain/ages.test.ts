// Ages of freed pages: invented records with known results, real runs compared with the funnel and
// the clock.

import { expect, test } from "vitest";
import { catalog, presetJson, TestBench } from "../../engine/loaded.test-support";
import { answerLog, type LogAct } from "../../engine/log";
import { kindsNamed, type Rec, recordsIn } from "../../engine/record";
import { recordOf } from "../../engine/record.test-support";
import { EVERYTHING } from "../../log/keeper";
import { AGE_RECORDS, Ages, CLASSES_NS } from "./ages";

const record = (name: (typeof AGE_RECORDS)[number], time_ns: number, page: number): Rec =>
  name === "LadderFree"
    ? recordOf(name, { page }, { time_ns })
    : recordOf(name, { pfn: page, order: 0, migratetype: 0, gfp_flags: 0 }, { time_ns });

test("counts the age of a page from its last allocation, within its zone", () => {
  const ages = new Ages([
    { key: "0/DMA", start_pfn: 0, spanned: 10 },
    { key: "0/Normal", start_pfn: 100, spanned: 10 },
  ]);
  for (const one of [
    record("mm_page_alloc", 0, 3),
    record("mm_page_alloc", 500_000, 3),
    record("LadderFree", 900_000, 3),
    record("mm_page_alloc", 0, 100),
    record("mm_page_alloc", 0, 109),
    record("LadderFree", 1_000_000, 109),
    record("LadderFree", 2e10, 100),
    // One record without a zone, and one of a page without a recorded allocation.
    record("mm_page_alloc", 0, 50),
    record("LadderFree", 1, 50),
    record("LadderFree", 2, 3),
  ]) {
    ages.take(one);
  }
  const [dma, normal] = ages.zones;
  expect(dma).toMatchObject({ key: "0/DMA", pages: 1, median_ns: 400_000 });
  expect(normal).toMatchObject({ key: "0/Normal", pages: 2, median_ns: 2e10 });
  // One under 1 ms; 1 ms belongs to the class above; 20 s lies between 10 and 30.
  const filled = (classes: readonly number[] = []) => classes.flatMap((n, i) => (n > 0 ? [i] : []));
  expect(filled(dma?.classes)).toEqual([CLASSES_NS.indexOf(1e6)]);
  expect(filled(normal?.classes)).toEqual([CLASSES_NS.indexOf(3e6), CLASSES_NS.indexOf(3e10)]);
  expect(Ages.span(ages.zones)).toEqual([CLASSES_NS.indexOf(1e6), CLASSES_NS.indexOf(3e10)]);
  expect(ages.unknown).toBe(2);
});

for (const [name, kernel] of [
  ["fsmark", "3.0"],
  ["streaming-reader", "3.16"],
  ["anon-hog", "6.1"],
] as const) {
  test(`${name} on ${kernel}: every page freed by reclaim has an age`, () => {
    const bench = new TestBench();
    const preset: Record<string, unknown> = JSON.parse(presetJson(`${name}.teach`));
    bench.send({
      kind: "open",
      json: JSON.stringify({ ...preset, id: "", kernel }),
      goal: { kind: "start" },
    });
    bench.send({ kind: "end" });
    const { view } = bench.frame;
    const ages = new Ages(view.zones);
    const filter = { ...EVERYTHING, kinds: kindsNamed(catalog, AGE_RECORDS) };
    let act: LogAct = { kind: "begin", from: 0, to: view.position.step, filter };
    let freed = 0;
    for (;;) {
      const answer = answerLog(bench.engine, 0, { kind: "log", act });
      if (!answer) throw new Error("no log is open");
      for (const one of recordsIn(answer.rows, catalog)) {
        freed += one.name === "LadderFree" ? 1 : 0;
        ages.take(one);
      }
      if (answer.isDone) break;
      act = { kind: "more" };
    }
    expect(freed).toBeGreaterThan(100);
    expect(ages.unknown).toBe(0);
    const all = ages.zones;
    expect(all.reduce((sum, { pages }) => sum + pages, 0)).toBe(freed);
    for (const { pages, classes, median_ns } of all) {
      expect(classes.reduce((sum, n) => sum + n, 0)).toBe(pages);
      expect(median_ns).toBeLessThanOrEqual(view.position.time_ns);
    }
    // The kernel's own counter. A page whose owner exited meanwhile is freed without a decision.
    const of = (counter: string) => view.counters.find(([n]) => n === counter)?.[1] ?? 0;
    expect(freed).toBeLessThanOrEqual(of("pgsteal_kswapd") + of("pgsteal_direct"));
    expect(freed).toBeGreaterThan((of("pgsteal_kswapd") + of("pgsteal_direct")) * 0.9);
  }, 60_000);
}
