import { act, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { WorkbenchContext } from "../../app/context";
import { Workbench } from "../../app/controller";
import { Notice } from "./Notice";

const workbenches: Workbench[] = [];
afterEach(() => {
  for (const workbench of workbenches.splice(0)) workbench.dispose();
  vi.useRealTimers();
});

/** A notice of a workbench whose engine never answers. */
function tell(text: string, undo: "undo" | null = null): Workbench {
  vi.useFakeTimers();
  const silent = { onmessage: null, onerror: null, postMessage: () => {}, terminate: () => {} };
  const workbench = new Workbench(() => silent);
  workbenches.push(workbench);
  render(
    <WorkbenchContext value={workbench}>
      <Notice />
    </WorkbenchContext>,
  );
  act(() => workbench.tell(text, undo));
  return workbench;
}

const wait = (ms: number) => act(() => vi.advanceTimersByTime(ms));

test("shows a notice for six seconds, and longer while it is hovered", () => {
  tell("No breakpoint was hit.");
  wait(5900);
  fireEvent.pointerEnter(screen.getByRole("region", { name: "Last action" }));
  wait(60_000);
  expect(screen.getByText("No breakpoint was hit.")).toBeTruthy();
  fireEvent.pointerLeave(screen.getByRole("region", { name: "Last action" }));
  wait(5900);
  expect(screen.queryByText("No breakpoint was hit.")).not.toBeNull();
  wait(200);
  expect(screen.queryByText("No breakpoint was hit.")).toBeNull();
});

test("the next notice has its own six seconds", () => {
  const workbench = tell("One.");
  wait(5000);
  act(() => workbench.tell("Two."));
  wait(5000);
  expect(screen.getByText("Two.")).toBeTruthy();
});

test("a notice offers undo after an action that can be undone", () => {
  const workbench = tell("A fork of the run.", "undo");
  const undo = vi.spyOn(workbench.changes, "undo");
  fireEvent.click(screen.getByRole("button", { name: "Undo" }));
  expect(undo).toHaveBeenCalledOnce();
});
