import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { EngineClient, type Port } from "./client";
import type { EngineEvent } from "./protocol";

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("document", { visibilityState: "visible" });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** A fake worker whose messages the test sends, and a client that listens to it. */
function page(locks: unknown) {
  vi.stubGlobal("navigator", { locks });
  const port: Port = {
    postMessage: vi.fn(),
    onmessage: null,
    onerror: null,
    terminate: vi.fn(),
  };
  const heard: EngineEvent["kind"][] = [];
  const client = new EngineClient(
    ({ kind }) => heard.push(kind),
    () => port,
  );
  const say = (data: EngineEvent) => port.onmessage?.(new MessageEvent("message", { data }));
  return { client, port, heard, say };
}

/** A lock that a worker holds until the test releases it. */
function heldLock() {
  const waits: (() => void)[] = [];
  const request = (_: string, options: { signal: AbortSignal }, granted: () => void) =>
    new Promise((_, reject) => {
      options.signal.addEventListener("abort", () => reject(new Error("aborted")));
      waits.push(granted);
    });
  const release = () => {
    for (const granted of waits.splice(0)) granted();
  };
  return { locks: { request }, release };
}

const TOLD: EngineEvent = { kind: "unread", message: "" };

test("never reports a live worker as silent, however long it is busy", () => {
  const { locks, release } = heldLock();
  const { port, heard, say } = page(locks);
  say({ kind: "lives", lock: "a" });
  say(TOLD);
  vi.advanceTimersByTime(3_600_000);
  expect(heard).toEqual(["unread"]);
  expect(port.postMessage).not.toHaveBeenCalled();
  // The worker answers late and continues.
  say(TOLD);
  expect(heard).toEqual(["unread", "unread"]);
  release();
  expect(heard).toEqual(["unread", "unread", "ended"]);
});

test("does not report the end of a worker that the page itself has ended", () => {
  const { locks, release } = heldLock();
  const { client, heard, say } = page(locks);
  say({ kind: "lives", lock: "a" });
  client.restart();
  release();
  expect(heard).toEqual([]);
});

test("without locks, reports a worker as silent after a minute and withdraws the report when it answers", () => {
  const { heard, port, say } = page(undefined);
  say(TOLD);
  vi.advanceTimersByTime(50_000);
  expect(port.postMessage).toHaveBeenCalledExactlyOnceWith({ kind: "sign" });
  expect(heard).toEqual(["unread"]);
  vi.advanceTimersByTime(15_000);
  expect(heard).toEqual(["unread", "silent"]);
  say({ kind: "sign" });
  expect(heard).toEqual(["unread", "silent", "back"]);
});

test("reports nothing about a worker that has not sent its first message", () => {
  const { heard } = page(undefined);
  vi.advanceTimersByTime(600_000);
  expect(heard).toEqual([]);
});
