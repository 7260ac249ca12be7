import { expect, test } from "vitest";
import { verdict } from "./arrival";

const cursor = { step: 5, time_ns: 1000, hash: "00000000000000aa", engine: "0.2.0" };
const here = (more: object) => ({
  hash: cursor.hash,
  engine: "0.2.0",
  position: { step: 5, time_ns: 1000, ended: false },
  ...more,
});

test.each([
  [{}, /^Reproduced: step 5/],
  [{ hash: "00000000000000ab" }, /^Step 5 differs: .*00000000000000ab.*00000000000000aa/],
  [{ engine: "0.10.0" }, /runs the newer 0\.10\.0/],
  [{ engine: "0.1.9" }, /runs the older 0\.1\.9/],
  [{ position: { step: 4, time_ns: 900, ended: true } }, /ends earlier, at step 4/],
])("gives the correct verdict for %o", (difference, says) => {
  expect(verdict(cursor, here(difference))).toMatch(says);
});
