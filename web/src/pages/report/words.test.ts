import { expect, test } from "vitest";
import { waitWords } from "../../runs/wait-words";
import { markOf, ratioWords, valueWords, whenWords } from "./words";

test("says when runs ended: a time, a range within one day, or a range of days", () => {
  const at = (day: number, hour: number, minute: number) =>
    new Date(2026, 10, day, hour, minute).getTime();
  expect(whenWords([at(26, 10, 46)])).toBe("on 26 November 2026, 10:46");
  expect(whenWords([at(26, 10, 47), at(26, 10, 46)])).toBe("on 26 November 2026, 10:46–10:47");
  expect(whenWords([at(26, 23, 59), at(27, 0, 10)])).toBe(
    "from 26 November 2026, 23:59 to 27 November 2026, 00:10",
  );
});

test("describes cells, values and times in words", () => {
  expect(markOf("noise").kind).toBe("unscored");
  expect(markOf({ published: "flat", simulated: "flat", agrees: true, ratio: 1 }).words).toBe(
    "flat in both",
  );
  expect(markOf({ published: "up", simulated: "flat", agrees: false, ratio: 0.5 }).words).toBe(
    "differs",
  );
  expect(ratioWords({ published: "up", simulated: "up", agrees: true, ratio: 0.5 })).toBe(
    "×\u202f0.50",
  );
  expect([valueWords(13_091_697), valueWords(57.514), valueWords(null)]).toEqual([
    "13,091,697",
    "57.51",
    "–",
  ]);
  expect([waitWords(0.3), waitWords(41), waitWords(400)]).toEqual([
    "a second or two",
    "about 40 seconds",
    "about 7 minutes",
  ]);
  expect([1260, 3500, 6360, 19_000].map(waitWords)).toEqual([
    "about 20 minutes",
    "about an hour",
    "about 2 hours",
    "about 5.5 hours",
  ]);
});
