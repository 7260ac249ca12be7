import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startInProcess } from "../engine/in-process.test-support";
import { openLink } from "../link/link";
import { readFragment } from "../link/router";
import { WorkbenchContext } from "./context";
import { FIRST_SCENARIO, Workbench } from "./controller";
import { useMomentLink } from "./moment-link";
import { usePaintedFrames } from "./painted";

let stage: Workbench;

function ToMoment() {
  usePaintedFrames();
  return <a {...useMomentLink()}>To the workbench</a>;
}

beforeEach(async () => {
  history.replaceState(null, "", "#/lesson/one");
  stage = new Workbench(() => startInProcess(), { ownsAddress: false });
  render(
    <WorkbenchContext value={stage}>
      <ToMoment />
    </WorkbenchContext>,
  );
  await waitFor(() => expect(stage.store.getState().engine.kind).toBe("ready"));
  act(() => stage.openPreset(FIRST_SCENARIO, { kind: "first-refusal" }));
  await waitFor(() => expect(link().hidden).toBe(false));
});
afterEach(() => stage.dispose());

const link = () => screen.getByText<HTMLAnchorElement>("To the workbench");
const step = () => stage.store.getState().session?.frame?.view.position.step;

/** The step in a fragment. */
function stepIn(fragment: string): number | undefined {
  const place = readFragment(fragment);
  const { engine } = stage.store.getState();
  if (place.page !== "workbench" || place.x === null || engine.kind !== "ready") return undefined;
  const opened = openLink(place.x, engine.presets);
  return opened.ok ? opened.link.cursor?.step : undefined;
}

test("a click right after a step opens that step with a new history entry", async () => {
  const { length } = history;
  const before = step();
  act(() => stage.transport.step("into"));
  await waitFor(() => expect(step()).not.toBe(before));
  const drawn = step();
  fireEvent.click(link());
  await waitFor(() => expect(stepIn(location.hash)).toBe(drawn));
  expect(history.length).toBe(length + 1);
});

test("a click during playback stops it and opens the step it has reached", async () => {
  const before = step() ?? 0;
  act(() => stage.transport.play());
  await waitFor(() => expect(step()).toBeGreaterThan(before));
  fireEvent.click(link());
  await waitFor(() => expect(location.hash).toMatch(/^#\/workbench\?x=/));
  expect(stage.store.getState().session?.frame?.mode.kind).toBe("paused");
  expect(stepIn(location.hash)).toBe(step());
});

test("a new tab opens the current address of the link", async () => {
  const before = step();
  act(() => stage.transport.step("into"));
  await waitFor(() => expect(step()).not.toBe(before));
  fireEvent.pointerEnter(link());
  await waitFor(() => expect(stepIn(link().hash)).toBe(step()));
  expect(fireEvent.click(link(), { ctrlKey: true })).toBe(true);
  expect(location.hash).toBe("#/lesson/one");
});

test("keeps the link while another experiment opens", async () => {
  const drawn: boolean[] = [];
  const forget = stage.store.subscribe(() => drawn.push(!link().hidden));
  act(() => stage.openPreset(FIRST_SCENARIO));
  await waitFor(() => expect(step()).toBe(0));
  forget();
  expect(new Set(drawn)).toEqual(new Set([true]));
  fireEvent.click(link());
  await waitFor(() => expect(stepIn(location.hash)).toBe(0));
});

test("a workbench that saves after navigation does not change the address of the new page", async () => {
  history.replaceState(null, "", "#/workbench");
  const bench = new Workbench(() => startInProcess(), { ownsAddress: true });
  try {
    await waitFor(() => expect(bench.store.getState().session?.frame?.mode.kind).toBe("paused"));
    await bench.saving.now();
    expect(location.hash).toMatch(/^#\/workbench\?x=/);
    location.hash = "#/lesson-folder";
    expect(await bench.saving.now()).not.toBeNull();
    expect(location.hash).toBe("#/lesson-folder");
  } finally {
    bench.dispose();
  }
});
