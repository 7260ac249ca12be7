import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Port } from "../engine/client";
import { catalog } from "../engine/loaded.test-support";
import type { EngineEvent } from "../engine/protocol";
import { Workbench } from "./controller";

let ports: Port[];
let bench: Workbench;

beforeEach(() => {
  vi.useFakeTimers();
  ports = [];
  bench = new Workbench(
    () => {
      const port = { postMessage: vi.fn(), onmessage: null, onerror: null, terminate: vi.fn() };
      ports.push(port);
      return port;
    },
    { ownsAddress: false },
  );
  say({ kind: "ready", version: "1", catalog, presets: { a: "{}" } });
});
afterEach(() => {
  bench.dispose();
  vi.useRealTimers();
});

const say = (data: EngineEvent) => ports.at(-1)?.onmessage?.(new MessageEvent("message", { data }));
const trap = () => bench.store.getState().trap;
const VERDICT: EngineEvent = {
  kind: "refused",
  json: "{}",
  refusals: [{ path: "seed", reason: "late" }],
  nearest: null,
};

test("accepts a refusal that the engine sends minutes later", async () => {
  const judged = bench.edit("{}");
  vi.advanceTimersByTime(300_000);
  expect(trap()?.why).toBe("silent");
  say(VERDICT);
  expect(trap()).toBeNull();
  expect(await judged).toEqual([{ path: "seed", reason: "late" }]);
});

test("after a restart, reports an unchecked experiment as not read", async () => {
  const judged = bench.edit("{}");
  vi.advanceTimersByTime(300_000);
  bench.restart();
  expect(ports).toHaveLength(2);
  expect(await judged).toEqual([
    { path: "", reason: expect.stringContaining("restarted before it had read the experiment") },
  ]);
  say({ kind: "ready", version: "1", catalog, presets: { a: "{}" } });
  expect(trap()).toBeNull();
});

test("reports a terminated worker as terminated even minutes later", () => {
  say({ kind: "ended" });
  expect(trap()).toMatchObject({ why: "ended", position: null });
  vi.advanceTimersByTime(300_000);
  expect(trap()?.why).toBe("ended");
});
