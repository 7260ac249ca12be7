import { expect, test } from "vitest";
import { catalog, TestBench } from "../../engine/loaded.test-support";
import { answerLog } from "../../engine/log";
import { Book } from "./book";
import { storyWords } from "./words";

test("keeps everything the reader has not reached, however far it reads ahead", async () => {
  const bench = new TestBench();
  bench.openPreset("fsmark.teach");
  const { view } = bench.frame;
  const book = new Book({
    catalog,
    ask: async (act) => {
      const answer = answerLog(bench.engine, 0, { kind: "log", act });
      if (!answer) throw new Error("another experiment was opened");
      return answer;
    },
    words: () => storyWords(catalog, view, new Map()),
    isSmall: true,
  });
  await book.more();
  const [first] = book.moments;
  while (book.moments.length < 25_000 && !book.isEnded) await book.more();
  expect(book.moments[0]).toBe(first);
  // An entry may be dropped after the reader has passed it.
  const { step = 0 } = book.moments.at(-1) ?? {};
  await book.reach(step, () => true);
  await book.more();
  expect(book.moments[0]).not.toBe(first);
});
