import { expect, test, vi } from "vitest";
import { watched } from "./watched";

function source() {
  let value = 1;
  let tell: (() => void) | null = null;
  const read = vi.fn(() => ({ value }));
  const stop = vi.fn(() => {
    tell = null;
  });
  const store = watched(
    read,
    (changed) => {
      tell = changed;
      return stop;
    },
    (a, b) => a.value === b.value,
  );
  const set = (next: number) => {
    value = next;
    tell?.();
  };
  return { read, stop, store, set };
}

test("asks the browser once for all components that show a value", () => {
  const { read, store } = source();
  store.subscribe(() => {});
  store.subscribe(() => {});
  expect(store.known()).toBe(store.known());
  expect(read).toHaveBeenCalledTimes(1);
});

test("calls all listeners for another value and none when the same value is read again", () => {
  const { store, set } = source();
  const [one, two] = [vi.fn(), vi.fn()];
  store.subscribe(one);
  store.subscribe(two);
  const before = store.known();
  set(1);
  expect(one).not.toHaveBeenCalled();
  expect(store.known()).toBe(before);
  set(2);
  expect([one, two].map((heard) => heard.mock.calls.length)).toEqual([1, 1]);
  expect(store.known().value).toBe(2);
});

test("reads a value again after a time without listeners", () => {
  const { stop, store, set } = source();
  const end = store.subscribe(() => {});
  expect(store.known().value).toBe(1);
  end();
  expect(stop).toHaveBeenCalledTimes(1);
  set(3);
  expect(store.known().value).toBe(3);
});
