import { expect, test, vi } from "vitest";
import { once } from "./once";

test("runs the work once for several simultaneous callers", async () => {
  const work = vi.fn(async () => ({}));
  const load = once(work);
  const first = load();
  expect(load()).toBe(first);
  expect(await load()).toBe(await first);
  expect(load()).toBe(first);
  expect(work).toHaveBeenCalledOnce();
});

test("after a failure, only the next caller tries again", async () => {
  const work = vi.fn(async () => "there");
  work.mockRejectedValueOnce(new Error("no network"));
  const load = once(work);
  const [one, two] = [load(), load()];
  await expect(one).rejects.toThrow("no network");
  await expect(two).rejects.toThrow("no network");
  expect(work).toHaveBeenCalledOnce();
  expect(await load()).toBe("there");
  expect(await load()).toBe("there");
  expect(work).toHaveBeenCalledTimes(2);
});
