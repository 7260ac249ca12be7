import { expect, test, vi } from "vitest";
import { once } from "./once";

test("what is asked for several times is done once", async () => {
  const work = vi.fn(async () => ({}));
  const load = once(work);
  const first = load();
  expect(load()).toBe(first);
  expect(await load()).toBe(await first);
  expect(load()).toBe(first);
  expect(work).toHaveBeenCalledOnce();
});

test("what failed is tried again by the next who asks, and by nobody else", async () => {
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
