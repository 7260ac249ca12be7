// Late answers: an explanation shows only the answer to the last request.

import { act, renderHook } from "@testing-library/react";
import { expect, test } from "vitest";
import { type Deferred, deferred } from "../../engine/deferred.test-support";
import { useSearch } from "./hooks";
import type { SearchContext } from "./search";

const kinds = { records: [] };
const ask: SearchContext["ask"] = () => Promise.reject(new Error("nobody asks here"));
const log = { ask, kinds };

/** Searches whose answers arrive when a test sends them, by key. */
function late() {
  const searches = new Map<string, { answer: Deferred<string>; looking: SearchContext }>();
  const look = (key: string) => (looking: SearchContext) => {
    const answer = deferred<string>();
    searches.set(key, { answer, looking });
    return answer.promise;
  };
  const view = renderHook(({ key }: { key: string }) => useSearch(key, log, look(key)), {
    initialProps: { key: "first" },
  });
  const settle = (key: string, how: (answer: Deferred<string>) => void) =>
    act(async () => {
      const found = searches.get(key);
      if (!found) throw new Error(`nothing looks for ${key}`);
      how(found.answer);
      await found.answer.promise.catch(() => {});
    });
  return { view, looks: searches, settle };
}

test("never shows the result of an earlier search after a later request", async () => {
  const { view, looks: searches, settle } = late();
  view.rerender({ key: "second" });
  expect(searches.get("first")?.looking.signal.aborted).toBe(true);
  await settle("second", ({ resolve }) => resolve("of the second"));
  expect(view.result.current).toMatchObject({ value: "of the second", isBusy: false });
  await settle("first", ({ resolve }) => resolve("of the first"));
  expect(view.result.current).toMatchObject({ value: "of the second", of: "second" });

  view.rerender({ key: "third" });
  view.rerender({ key: "fourth" });
  await settle("third", ({ reject }) => reject(new Error("no room")));
  expect(view.result.current).toMatchObject({ failure: null, isBusy: true });
  await settle("fourth", ({ resolve }) => resolve("of the fourth"));
  expect(view.result.current).toMatchObject({ value: "of the fourth", isBusy: false });
});

test("a stopped search is reported as stopped and can be started again", async () => {
  const { view, looks: searches, settle } = late();
  const { answer } = searches.get("first") ?? {};
  act(() => view.result.current.stop());
  await act(async () => answer?.resolve("too late"));
  expect(view.result.current).toMatchObject({ value: null, isStopped: true, isBusy: false });
  act(() => view.result.current.again());
  await settle("first", ({ resolve }) => resolve("again"));
  expect(view.result.current).toMatchObject({ value: "again", isStopped: false });
});
