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

/** A worker that says what a test has it say, and a page that listens to it. */
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

/** A lock that a worker holds until the test lets go of it. */
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

test("a worker that lives is never taken for one that is silent, however long it is busy", () => {
  const { locks, release } = heldLock();
  const { port, heard, say } = page(locks);
  say({ kind: "lives", lock: "a" });
  say(TOLD);
  vi.advanceTimersByTime(3_600_000);
  expect(heard).toEqual(["unread"]);
  expect(port.postMessage).not.toHaveBeenCalled();
  // It answers late, and goes on.
  say(TOLD);
  expect(heard).toEqual(["unread", "unread"]);
  release();
  expect(heard).toEqual(["unread", "unread", "ended"]);
});

test("the end of a worker that the page has ended itself is not told", () => {
  const { locks, release } = heldLock();
  const { client, heard, say } = page(locks);
  say({ kind: "lives", lock: "a" });
  client.restart();
  release();
  expect(heard).toEqual([]);
});

test("where the browser does not tell, a worker that is silent for very long is named, and taken back", () => {
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

test("nothing is said of a worker that has not said its first word", () => {
  const { heard } = page(undefined);
  vi.advanceTimersByTime(600_000);
  expect(heard).toEqual([]);
});
