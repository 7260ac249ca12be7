// Opens the page with an engine in this process, for tests of its marks.

import { act, render, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, vi } from "vitest";
import { WorkbenchContext } from "../../app/context";
import { Workbench } from "../../app/controller";
import type { Port } from "../../engine/client";
import { startInProcess } from "../../engine/in-process.test-support";
import { loadEngine, openText, presetJson, viewNow } from "../../engine/loaded.test-support";
import type { Frame } from "../../engine/protocol";
import type { View } from "../../engine/types";
import { Page } from "./Page";

/** The drawing calls on canvases since the test began. */
export const canvasLog: string[] = [];

beforeEach(() => {
  canvasLog.length = 0;
  localStorage.clear();
  history.replaceState(null, "", "#/");
  const context = new Proxy<Record<string, unknown>>(
    {},
    {
      get: (target, name) =>
        name in target
          ? target[String(name)]
          : (...at: unknown[]) =>
              canvasLog.push(`${String(name)} ${target.fillStyle} ${at.join(" ")}`),
    },
  );
  vi.spyOn(HTMLCanvasElement.prototype, "getContext").mockReturnValue(context as never);
  vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(1000);
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(200);
  vi.stubGlobal(
    "ResizeObserver",
    class {
      readonly #changed: () => void;
      constructor(changed: () => void) {
        this.#changed = changed;
      }
      // Calls back once before drawing, as a browser does.
      observe() {
        setTimeout(() => act(this.#changed));
      }
      disconnect() {}
    },
  );
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

let opened: Workbench | undefined;
afterEach(() => opened?.dispose());

/** Opens the page, and waits until it is built and paused; a test may pass its own engine. */
export async function openPage(start: () => Port = () => startInProcess()): Promise<Workbench> {
  const workbench = new Workbench(start);
  opened = workbench;
  render(
    <WorkbenchContext value={workbench}>
      <Page />
    </WorkbenchContext>,
  );
  await waitFor(() => expect(frameOf(workbench).mode.kind).toBe("paused"));
  await isBuilt();
  return workbench;
}

/** The zones are built first, then the rest of the machine, then its surroundings. */
export async function isBuilt(): Promise<void> {
  await screen.findByRole("region", { name: "Node 0" });
  await screen.findByRole("region", { name: "Tasks" });
  await screen.findByRole("region", { name: "Why" });
  await screen.findByRole("slider", { name: "Playhead" });
}

/** The frame that the page shows. */
export function frameOf(workbench: Workbench): Frame {
  const frame = workbench.store.getState().session?.frame;
  if (!frame) throw new Error("no frame yet");
  return frame;
}

/** Goes to a step and waits for it. */
export async function goTo(workbench: Workbench, step: number): Promise<void> {
  act(() => workbench.transport.seek({ kind: "step", step }));
  await waitFor(() => expect(frameOf(workbench).view.position.step).toBe(step));
}

/** Steps the next task until `isThere`, which checks each frame, is true. */
export async function stepUntil(
  workbench: Workbench,
  isThere: (frame: Frame) => boolean,
): Promise<void> {
  for (let i = 0; i < 400 && !isThere(frameOf(workbench)); i += 1) {
    const { step } = frameOf(workbench).view.position;
    act(() => workbench.transport.step("into"));
    await waitFor(() => expect(frameOf(workbench).view.position.step).toBeGreaterThan(step));
  }
  expect(isThere(frameOf(workbench))).toBe(true);
}

/**
 * The first step of a run at which the machine meets a condition, found with a separate machine.
 */
export function stepWhere(
  preset: string,
  chunk: number,
  isThere: (view: View) => boolean,
  isNear = isThere,
): number {
  const engine = loadEngine();
  openText(engine, 0, presetJson(preset));
  const now = () => viewNow(engine);
  let { step } = now().position;
  while (!isNear(now()) && !now().position.ended) {
    ({ step } = now().position);
    engine.run(0, chunk, undefined, undefined);
  }
  engine.seek(0, step);
  for (let i = 0; i < 5000 && !isThere(now()); i += 1) engine.step(0, "any", undefined, 1);
  expect(isThere(now())).toBe(true);
  ({ step } = now().position);
  engine.free();
  return step;
}

/** Opens the page on a ready-made experiment at a step. */
export async function openAt(preset: string, step: number): Promise<Workbench> {
  const workbench = await openPage();
  act(() => workbench.openPreset(preset));
  await waitFor(() => expect(frameOf(workbench).view.position.step).toBe(0));
  await isBuilt();
  await goTo(workbench, step);
  return workbench;
}
