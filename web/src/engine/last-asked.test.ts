import { expect, test } from "vitest";
import { deferred } from "./deferred.test-support";
import { heard, LastAsked } from "./last-asked";

test("delivers the newest answer even if late and drops older ones even if early", async () => {
  const asked = new LastAsked();
  const drawn: string[] = [];
  const answers = [0, 1, 2].map(() => deferred<string>());
  const asking = answers.map(({ promise }) =>
    asked.ask(async (hear) => {
      drawn.push(await hear(promise));
    }),
  );
  answers[2]?.resolve("third");
  await asking[2];
  answers[0]?.resolve("first");
  answers[1]?.reject(new Error("second"));
  await Promise.all(asking);
  expect(drawn).toEqual(["third"]);
});

test("stops older work at its next answer after a newer request", async () => {
  const asked = new LastAsked();
  const did: string[] = [];
  const [first, second] = [deferred<void>(), deferred<void>()];
  const work = asked.ask(async (hear) => {
    await hear(first.promise);
    did.push("first");
    await hear(second.promise);
    did.push("second");
  });
  first.resolve();
  await expect.poll(() => did).toEqual(["first"]);
  asked.stop();
  second.resolve();
  await work;
  expect(did).toEqual(["first"]);
});

test("rejects when the newest request fails", async () => {
  const asked = new LastAsked();
  const fails = asked.ask((hear) => hear(Promise.reject(new Error("no room"))));
  await expect(fails).rejects.toThrow("no room");
});

test("rejects once the request is abandoned, whatever the answer is", async () => {
  const { signal } = new AbortController();
  expect(await heard(Promise.resolve(7), signal)).toBe(7);
  const given = AbortSignal.abort();
  await expect(heard(Promise.resolve(7), given)).rejects.toBe(given.reason);
  await expect(heard(Promise.reject(new Error("no")), given)).rejects.toBe(given.reason);
});
