// One real link of every format ever written, and its contents. A link here is never changed.

import { expect, test } from "vitest";
import { presetsOf } from "../engine/catalog";
import { catalog, loadEngine, openText, readNow } from "../engine/loaded.test-support";
import { bareLink, CURRENT_LINK_VERSION, openLink, type Presets, writeLink } from "./link";

const presets: Presets = presetsOf(catalog);

interface Piece {
  readonly packed: string;
  /** The fields of the experiment that matter. */
  readonly experiment: Readonly<Record<string, unknown>>;
  readonly step: number;
  readonly lists: Readonly<Record<string, string>>;
  /** The kinds of its breakpoints. */
  readonly stops: readonly string[];
  /** The number of bookmarks, and the counters drawn over time. */
  readonly bookmarks?: number;
  readonly tracks?: readonly string[];
  /** Whether its log lists decisions beside the events, or only decisions. */
  readonly decisions?: "too" | "only";
  /** The state hash of its result. */
  readonly result?: string;
}

const MUSEUM: readonly Piece[] = [
  {
    // First touch on the small two-node machine, on kernel 6.1, after five steps.
    packed:
      "FU1LDoIwFLzLrCu2VkG7M3HrCQgxTXnSRiykLW4Id_exmMwvk1nxg1ECc6JMBQbvkHI5lGlxvipknYeA8zYOlGHatkXo0QkwWH8oRRp3X1cKHbNbUp4SzIpcaIa5CJTwpVfktbo2UsDb7PmnVuee5EU7qe2tsZpvKA4hEneyUpXEJjCGXHi4Qu7p8fG86xO27Q8",
    experiment: { kernel: "6.1", machine: "x86_64-2node-teach", workload: "first-touch", seed: 1 },
    step: 5,
    lists: { 0: "0/DMA32" },
    stops: [],
  },
  {
    // First touch with three breakpoints, one of them with a condition, at a hit of one.
    packed:
      "bY9BTsQwDEXv4nUomU5nKN0hseUECFWZ1m2ttkmUeGYkqhyAg3AxToIzSGxgE8X2-__bG1ygKRX4gBEZGhgoRL5jd-6mgtF0EyjoziG6AM0GkdELr3X5qIBpxdZGaPa7Y6W1gsnESSz2eOir00M9DGV9MMdKHNCOZFFmutgVGpKCU0Aze0eWxeB1g6thyZKImWwv4GrCLMJ39yO7f355kvLWlSFZSEn9VeEFLQtnzZpl0S_EOa1zticmZzM7EC4ZdqHHIDDJBvD18SnfK3G-oP7ffck3_JqPyK03I7ZDcKs8iAvFHH7DmjKlt_QN",
    experiment: { kernel: "3.0", machine: "x86_64-2node-teach", workload: "first-touch", seed: 1 },
    step: 20_029,
    lists: {},
    stops: ["mark", "event", "line"],
  },
  {
    // The same moment with a title, two bookmarks, a zoomed map, two tracks and an open log.
    packed:
      "dVJBjtswDPyKwLObytlsmvhWoMe2p96CRaDYlC1YFg1JiYEN_IA-pB_rS0rai22B7vogSOSQnBn6DjeoHgoYIybMUIF1MeUPma51t8lo6g4KqK8xUYTqDinjCNVW6-2xgOwGPIfE9eV-p3UBnUkdt3jAx2Z3-XSwdnt4NPsdd8DQuoCc05tyo2Eu4BLR9CO5kLnB6Q6TyTyLR_QuNAwcTOy58JnWso9fvn3m5xLlpAswz8X_VXjDkBkXzCBlafQuy7SaQuOyoyBY69ALmGKDkcGOGcDvn7_4OrksCg5vd_ei4bV5i_k8mhbPNtLAB6J3SYYvsGo7z08sk6gX0qvI1b6S_fvHvaOWj9tSlrYXtBSRSb_ndlkuBX8rQAbdHE6LOFNLTOgwlWwu_LgZf8XET0u-QVZijU_IRKldloomis5XQxYXhfGLgew7xhbhiZ3M0dSLGhhba65esnyTccwimsC46rRSLFZpHJ_YQGJ-J12I-pfoM9EgBLQcnqd60e-pls2Plpe108f9zLtg9dmLrh8dquUXVZPpUZFVfZrM2MhaVje-suPKZJUZ6WlS4r7gvlMcjFcUVKAGld7A_Ac",
    experiment: { kernel: "3.0", machine: "x86_64-2node-teach", workload: "first-touch", seed: 1 },
    step: 20_029,
    lists: {},
    stops: ["mark", "event", "line"],
    bookmarks: 2,
    tracks: ["pgfault", "pgfree"],
  },
  {
    // The same moment with an open log that lists only decisions.
    packed:
      "dVJLjtswDL2KwLWbKhlPmnhXoMu2q-6CIlBsyhYsi4akxOgEPkAP0ov1JCXt6QfojBeCSJGP7z36DjeoygLGiAkzVGBdTPlNpmvdbTKauoMC6mtMFKG6Q8o4QrXTencsILsBzyFB9bDdl1oX0JnUMcQDPjbl5d3B2t3h0exLRsDQuoD8pjfbjYa5gEtE04_kQmaA0x0mk3kWj-hdaLhwMLHnxida295--PSewyXLjy7APBf_d-ENQ-a6YAZpS6N3WabVFBqXHQWptQ69FFNsMHKxYwbw8_sPvk4ui4LDy-heNPwBbzGfR9Pi2UYa-ED0LsnwpazazfNXlknUC-lV5Grflv37x72jlo9hKQvsBS1FZNKvub3dLg1_O0AG3RxOizhTS07oMJVsLhzcjL9i4tCSb5CVWOMTMlFql6WiiaKT40k9-74YKaQZusHaJfZObKLgv4mhOZp6EQVja83Vi26-yVTuiCa0zOK0Mi1WhZyf2EdimiddiAnP2SeiQXhoOTxP9mKDp1qIjJZ3VurjfuaVsAnZi7wvHarlT1WT6VGRVX2azNjIdlZTPrLxymSVufK3Lqn7THEwXlFQgRpUegPzLw",
    experiment: { kernel: "3.0", machine: "x86_64-2node-teach", workload: "first-touch", seed: 1 },
    step: 20_029,
    lists: {},
    stops: ["mark", "event", "line"],
    bookmarks: 2,
    tracks: ["pgfault", "pgfree"],
    decisions: "only",
  },
  {
    // The same moment with the result of its run, and a second experiment, which no page opens.
    packed:
      "bVNLjtswDL2KwbWbyvlN4l3RLtuuuguCQJYpR7AsGZIcYybIAXqQXqwnKWkn0wFmsnAsinx875G-wgXKTQ59wIgJStAmxPQp-UGdFwmlOkMOagjRByivEBP2UC6FWO5zSKbDk4tQrortWogczjKeCWKFm3pdPe20Xu42crsmBHSNcUh3YlEsBNxyoH6DpYYPTMJ42j69AS1W4vF7Rdai2Kp6rSrc7pXc4XvkHKrB2JrOXReV7_FUNZ--Cq0Ri-VilLGbamqklBQGzElwMxAZKA8H6BstmVW-oa7HnANRSXdq4yj7GnJxPBL10SQicwV1lq6ZKw_QYnBo4ZjDalHAkf6lNY3jvOqZ6LAuuFF1FVC2vTcuceUVRpnIZEprjZt4y9ASxxc_q_r87ccXOk5RujSOQd5X4QUd8QYnqU0Jsbcmsc3Ku9ok4yci2uBkjQ81Bko2xAD-_v5Dr7Mm2H2MbtniV_AG06mXDZ508B09EK2J3HxKK5e3G6mvvG-Z9CxynnFBi_Nmwvv7cJ1PDFuh9oE8ov4fr1lRPNbhXgHc6GJwnMRJxTGmQ1SSrOhwkXagAdGQvZ1GrqWNNHPrm2nzUAbWSecxu_s-GcmkCbpGZSJ5xzZ5Z5_Z0BSkmkT9XxZ-465UEXgj6HJmms8KKT6Sj55oHkTOJtyjL953zEPww1JnyzZYr5hIr2lma7Hf3nhrkkmW5f06YzZ9otkoW8y8zh67-TDlOxmfyZQlynzo4ryfPnTSZt5lzteYiQXc_gE",
    experiment: { kernel: "3.0", machine: "x86_64-2node-teach", workload: "first-touch", seed: 1 },
    step: 20_029,
    lists: {},
    stops: ["mark", "event", "line"],
    bookmarks: 2,
    tracks: ["pgfault", "pgfree"],
    decisions: "only",
    result: "f016cd4cbe69ca8e",
  },
  {
    // The hog on kernel 6.12, which runs the multi-generational LRU.
    packed:
      "FY1LCoMwFEX3csdp8Eei2YpIecrTSNsXSdJOxL033tGFw-Gc-MEZhSNy4gwHkiAPHzadmRYPhcWTbJzgxnHEi6PwG5OC0XWDqZzlG1OIcCdS5gOuqe4p5P3DTyme7fvB9nVjbKvgKflSGWieqW5pNtyZ1a6lw7LtwoVVutMVrusP",
    experiment: { kernel: "6.12", workload: "anon-hog" },
    step: 200_000,
    lists: {},
    stops: [],
  },
];

test("the museum has one link of every format", () => {
  expect(MUSEUM.length).toBe(CURRENT_LINK_VERSION);
});

test.each(MUSEUM)("opens museum link $# with its original contents", (piece) => {
  const { packed, experiment, step, lists, stops, bookmarks = 0, tracks = [], decisions } = piece;
  const opened = openLink(packed, presets);
  if (!opened.ok) throw new Error(`${opened.why}: ${opened.detail}`);
  expect(JSON.parse(opened.link.experiment)).toMatchObject(experiment);
  expect(opened.link.cursor?.step).toBe(step);
  expect(opened.link.lists).toEqual(lists);
  expect(opened.link.breakpoints.map(({ watch }) => watch.kind)).toEqual(stops);
  expect(opened.link.bookmarks.length).toBe(bookmarks);
  expect(opened.link.view.tracks).toEqual(tracks);
  expect(opened.link.view.log?.decisions).toBe(decisions);
  expect(opened.link.result?.hash).toBe(piece.result);
  expect(opened.link).not.toHaveProperty("with");
  // The engine must still accept it.
  expect(readNow(opened.link.experiment).kind).toBe("checked");
});

/** Links of format 5 on kernel 6.12, which then ran with the classic LRU lists unless they were named. */
const ON_6_12 = [
  {
    name: "a change of the kernel",
    packed:
      "FY1BCsIwEEXv8tcxjK0Ta65SioQwNkWdliS6Kb278a8-PB5vxxeeDbYsRSo8gq56Sutsq4SYYBBT0FkK_DiOeEpWeWEycPbcYWonfnJZM_yOUmWD7-g_g7q85a7Ncz3fnCMahrNBCiW1CjNd5TFwoI5ZYt86ovOi0hjZiyUcxw8",
    lists: "0",
  },
  {
    name: "a change that also names the lists",
    packed:
      "HU5JDoMwEPuLz2nEVgL5CkIo0CFBpQNKQi-Ivzd0DmPJtmyf-EI_BXZPgSI0DG_8cJuVkczkIDA5w5YCdNd1eJNnWtEL1DIvEiYuHmzGNTkEVn8MlljSn3ndPoU-_enwYfPQJ0KkHbrI7hOIy4cGTuGqaVrV5EWtSgFngktTWjOOJi_NWFNVz2pOBcR2YUpaJiuZ4bp-",
    lists: "7",
  },
  {
    name: "a whole experiment",
    packed:
      "JY9BboUwDETv4jWgwIco5Q49AULIfFyCAAclgbZC3L2OmpWdsd94brigbTJ4W-SZArRd1_XZDcsELUAGcYkbSfm5MEm749umqoUfowdd5xW7ifJI8i_ySp5pE1UXZSX9t_Pr5jCxkB3n1s2JeTKOWzK7IXrkcKAnjoM9ZzpwTnSmi7yMXnuxLzx8eaJhHX9jWoKq0fBkEIgELLdvxHO0SVAqwNP3Euf0wflkECId0IoiL8XZaWCB6FfzobVSxpQZWAxpfZwMlk1VGVNj-SpH8Rfyf1xV1IWC5_kD",
    lists: "0",
  },
] as const;

test.each(ON_6_12)(
  "opens an old link on 6.12 with the lists of its time: $name",
  ({ packed, lists }) => {
    const opened = openLink(packed, presets);
    if (!opened.ok) throw new Error(`${opened.why}: ${opened.detail}`);
    const { experiment, cursor } = opened.link;
    expect(JSON.parse(experiment).tunables["lru_gen.enabled"]).toBe(lists);
    const engine = loadEngine();
    expect(openText(engine, 0, experiment).kind).toBe("checked");
    engine.run(0, cursor?.step ?? 0, cursor?.step ?? 0, undefined);
    expect(engine.view(0, undefined).generations.length).toBe(lists === "0" ? 0 : 2);
    // The engine's generations may still change; its classic lists give the hash of that time.
    if (lists === "0") expect(engine.hash(0)).toBe(cursor?.hash);
    engine.free();
  },
);

test("a link of format 6 on 6.12 names no lists and runs the multi-generational LRU", () => {
  const opened = openLink(MUSEUM[5]?.packed ?? "", presets);
  const experiment = opened.ok ? opened.link.experiment : "";
  expect(experiment).not.toContain("lru_gen");
  const engine = loadEngine();
  expect(openText(engine, 0, experiment).kind).toBe("checked");
  expect(engine.view(0, undefined).generations.length).toBe(2);
  engine.free();
});

test.each(Object.keys(presets))("a link to %s has fewer than 2,000 characters", (id) => {
  const link = {
    ...bareLink(presets[id] ?? ""),
    cursor: { step: 184_220, time_ns: 12_480_312_000, hash: "0123456789abcdef", engine: "0.1.0" },
    selected: ["zone 0/DMA32", "task 3", "page 184220"],
    lists: { 0: "0/DMA32" },
    breakpoints: [
      { watch: { kind: "mark", zone: "0/DMA32", mark: "low" } },
      { watch: { kind: "line", name: "get_page_from_freelist", line: 12 } },
    ] as const,
    bookmarks: [{ step: 12, time_ns: 900, note: "here kswapd wakes for the first time" }],
    title: "The zone is passed over, and the walk goes on",
    note: "DMA32 on node 0 has fewer free pages than its low mark asks for, so the walk passes it over and takes Normal on node 1, ten distance units away. Step over zone_watermark_ok twice, then look at what kswapd0 was woken for: order 0, classzone DMA32. On 6.1 the same moment tries the local node again first, because of ALLOC_KSWAPD and the boosted marks.",
  };
  const address = `https://teaching.example.org/memory/mmscope/#/workbench?x=${writeLink({ ...link, breakpoints: [...link.breakpoints] }, presets)}`;
  expect(address.length).toBeLessThan(2000);
});
