import { expect, test } from "vitest";
import { deferred } from "../engine/deferred.test-support";
import type { MeasurePort } from "../engine/measure-client";
import { PRIORITY, RunPool } from "./pool";

/** A worker whose engine starts at once and does nothing. */
function startIdle(): MeasurePort {
  const port: MeasurePort = {
    onmessage: null,
    onerror: null,
    postMessage: () => {},
    terminate: () => {},
  };
  setTimeout(() => {
    const data = { kind: "ready", version: "1", presets: {} } as const;
    port.onmessage?.(new MessageEvent("message", { data }));
  }, 0);
  return port;
}

function poolOf(cores: number) {
  let living = 0;
  const start = () => {
    living += 1;
    const port = startIdle();
    port.terminate = () => {
      living -= 1;
    };
    return port;
  };
  const resources = () => ({ cores, memory_gib: null, isNarrow: false });
  return { pool: new RunPool({ start, resources }), living: () => living };
}

test("starts jobs of a higher priority first and equal ones in order", async () => {
  const { pool, living } = poolOf(1);
  const done: string[] = [];
  const add = (name: string, priority: number) =>
    pool.add({ memory_mib: 1, priority, work: async () => void done.push(name) });
  await Promise.all([
    add("a", PRIORITY.background),
    add("b", PRIORITY.background),
    add("c", PRIORITY.foreground),
    add("d", PRIORITY.foreground),
  ]);
  expect(done).toEqual(["c", "d", "a", "b"]);
  await expect.poll(living).toBe(0);
});

test("runs no more jobs at once than the machine has CPUs and memory for", async () => {
  for (const [cores, memory_mib, expected] of [
    [3, 10, 3],
    [8, 600, 2],
    [1, 10, 1],
  ] as const) {
    const { pool } = poolOf(cores);
    let running = 0;
    let most = 0;
    const work = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running -= 1;
    };
    await Promise.all(Array.from({ length: 12 }, () => pool.add({ memory_mib, work })));
    expect(most).toBe(expected);
  }
});

test("removes a cancelled job from the queue and runs the others", async () => {
  const { pool } = poolOf(1);
  const first = deferred<string>();
  const running = pool.add({ memory_mib: 1, work: () => first.promise });
  const cancel = new AbortController();
  let isRun = false;
  const work = async () => {
    isRun = true;
  };
  const waiting = pool.add({ memory_mib: 1, signal: cancel.signal, work });
  const last = pool.add({ memory_mib: 1, work: async () => "last" });
  cancel.abort();
  await expect(waiting).rejects.toThrow("cancelled");
  first.resolve("first");
  expect(await Promise.all([running, last])).toEqual(["first", "last"]);
  expect(isRun).toBe(false);
});

test("repeats a job that failed beside another once, alone", async () => {
  const { pool } = poolOf(2);
  let tries = 0;
  let postponed = 0;
  let beside = 0;
  let othersRunning = 0;
  const other = async () => {
    othersRunning += 1;
    await new Promise((resolve) => setTimeout(resolve, 5));
    othersRunning -= 1;
  };
  const failing = pool.add({
    memory_mib: 1,
    postponed: () => {
      postponed += 1;
    },
    work: async () => {
      tries += 1;
      beside = othersRunning;
      throw new Error("out of memory");
    },
  });
  const failed = expect(failing).rejects.toThrow("out of memory");
  await Promise.all([1, 2, 3].map(() => pool.add({ memory_mib: 1, work: other })));
  await failed;
  expect([tries, postponed, beside]).toEqual([2, 1, 0]);
});
