import { act, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { WorkbenchContext } from "../app/context";
import { Workbench } from "../app/controller";
import type { Port } from "../engine/client";
import { catalog } from "../engine/loaded.test-support";
import { Starting } from "./starting";

let workbench: Workbench;
let port: Port;

beforeEach(() => {
  vi.useFakeTimers();
  port = { postMessage: () => {}, onmessage: null, onerror: null, terminate: () => {} };
  workbench = new Workbench(() => port, { ownsAddress: false });
  render(
    <WorkbenchContext value={workbench}>
      <Starting />
    </WorkbenchContext>,
  );
});
afterEach(() => {
  workbench.dispose();
  vi.useRealTimers();
});

test("shows an engine that takes minutes to load as loading, not as failed", () => {
  expect(screen.queryByRole("status")).toBeNull();
  act(() => vi.advanceTimersByTime(5000));
  expect(screen.getByRole("status").textContent).toMatch(/^Waiting for the engine/);
  act(() => vi.advanceTimersByTime(175_000));
  expect(document.body.textContent).toContain("180 s");
  expect(workbench.store.getState().trap).toBeNull();
  const ready = { kind: "ready", version: "1", catalog, presets: {} } as const;
  act(() => port.onmessage?.(new MessageEvent("message", { data: ready })));
  expect(screen.queryByRole("status")).toBeNull();
});
