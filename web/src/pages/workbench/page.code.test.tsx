// The marks of code and tasks with the real engine: each test changes the machine and expects the
// marks to change.

import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import type { Workbench } from "../../app/controller";
import { startInProcess } from "../../engine/in-process.test-support";
import { readAside, workOf } from "../../link/draft";
import { frameOf, goTo, isBuilt, openPage, stepUntil } from "./page.test-support";

test("the route, its task and the stops follow the walk", async () => {
  const workbench = await openPage();
  const stop = (words: string) =>
    screen.queryAllByRole("img", { name: new RegExp(`^zone \\d of the zonelist, ${words}`) })
      .length;
  expect(stop("being checked")).toBe(1);
  const label = screen.getByText(/^wants order/).textContent;
  await stepUntil(workbench, ({ view }) => (view.route?.stops[1]?.state ?? "ahead") !== "ahead");
  expect(stop("skipped")).toBeGreaterThan(0);
  expect(screen.getByText(/^wants order/).textContent).not.toBe(label);
  await stepUntil(workbench, ({ view }) => view.route === null);
  expect(screen.getByText("No allocation in progress.")).toBeTruthy();
}, 30_000);

test("the tabs Why, code, stack, locals and events follow each step", async () => {
  const workbench = await openPage();
  const regions = ["Why", "Pseudo-code", "Call stack"];
  const read = () => regions.map((name) => screen.getByRole("region", { name }).textContent);
  const before = read();
  await stepUntil(workbench, ({ view }) => view.events.length > 0);
  const after = read();
  for (const [i, name] of regions.entries()) expect(after[i], name).not.toBe(before[i]);
  const { stack, events } = frameOf(workbench).view;
  const locals = screen.getByRole("region", { name: "Locals" });
  for (const { name } of stack[0]?.locals ?? [])
    expect(within(locals).getByText(name)).toBeTruthy();
  const list = screen.getByRole("region", { name: "Events in this step" });
  expect(within(list).getAllByRole("listitem").length).toBe(events.length);
  expect(screen.getByTestId("narration").textContent).toMatch(/Step [\d,]+/);
}, 30_000);

test("marks exactly one line, the line about to run", async () => {
  const workbench = await openPage();
  for (let i = 0; i < 5; i += 1) {
    const { stack } = frameOf(workbench).view;
    const code = screen.getByRole("region", { name: "Pseudo-code" });
    const now = within(code)
      .getAllByRole("listitem")
      .filter((li) => li.hasAttribute("aria-current"));
    expect(
      now.map((li) =>
        li.textContent?.replace("▶", "").startsWith(String((stack[0]?.line ?? 0) + 1)),
      ),
    ).toEqual(stack[0] ? [true] : []);
    await stepUntilMoved(workbench);
  }
}, 30_000);

async function stepUntilMoved(workbench: Workbench) {
  const { step } = frameOf(workbench).view.position;
  await stepUntil(workbench, ({ view }) => view.position.step > step);
}

test("the marks of tasks and kswapd follow their states", async () => {
  const workbench = await openPage();
  act(() => workbench.openPreset("run-out.teach"));
  await waitFor(() => expect(frameOf(workbench).view.position.step).toBe(0));
  await isBuilt();
  const tasks = screen.getByRole("region", { name: "Tasks" });
  const before = tasks.textContent;
  expect(screen.getAllByText("since boot").length).toBe(2);
  const awake = () => screen.queryAllByText(/^kswapd\d (awake|waits)$/).length;
  const isAwake = () => frameOf(workbench).view.nodes.filter((node) => node.kswapd_awake).length;
  // At boot both check once whether there is work, then sleep.
  expect([awake(), isAwake()]).toEqual([2, 2]);
  await stepUntil(workbench, ({ view }) => view.nodes.every((node) => !node.kswapd_awake));
  expect([awake(), isAwake()]).toEqual([0, 0]);
  await goTo(workbench, frameOf(workbench).furthest.step);
  expect(tasks.textContent).not.toBe(before);
  expect(screen.queryAllByText(/^(since boot|never woken)$/).length).toBe(0);
  expect(awake()).toBe(isAwake());
  // The work of each kswapd is shown beside it, with the machine's own numbers.
  const worked = frameOf(workbench).view.nodes.filter(({ kswapd_passes }) => kswapd_passes > 0);
  const words = [...document.querySelectorAll<HTMLElement>(".node .cpu-share")].map(
    ({ title, textContent }) => [title, textContent],
  );
  expect(words).toHaveLength(worked.length);
  for (const [i, { kswapd_passes }] of worked.entries()) {
    const [title, share] = words[i] ?? [];
    expect(title).toMatch(new RegExp(`^Since boot: ${kswapd_passes} pass(es)? of balance_pgdat, `));
    expect(share).toMatch(/%\u2009?\s?CPU$/);
  }
}, 30_000);

test("highlights the items that a sentence names and keeps a selected one highlighted", async () => {
  await openPage();
  const why = screen.getByRole("region", { name: "Why" });
  const name = within(why).getByRole("button", { name: /on node/ });
  fireEvent.pointerEnter(name);
  const lit = () => document.querySelectorAll(".zone.lit-hover").length;
  expect(lit()).toBe(1);
  fireEvent.pointerLeave(name);
  expect(lit()).toBe(0);
  fireEvent.click(name);
  expect(document.querySelectorAll(".zone.lit-select").length).toBe(1);
  fireEvent.keyDown(document.body, { key: "Escape" });
  expect(document.querySelectorAll(".zone.lit-select").length).toBe(0);
}, 30_000);

test("after a trap, the page keeps experiment and step and restarts there", async () => {
  let starts = 0;
  const workbench = await openPage(() => {
    starts += 1;
    return startInProcess(starts === 1 ? "back" : undefined);
  });
  const { step } = frameOf(workbench).view.position;
  act(() => workbench.transport.back("step"));
  const card = await screen.findByRole("alertdialog", { name: "The engine stopped" });
  expect(card.textContent).toContain("two lists hold one page");
  fireEvent.click(within(card).getByRole("button", { name: /^Restart at #/ }));
  await waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
  await waitFor(() => expect(frameOf(workbench).view.position.step).toBe(step - 1));
}, 30_000);

test("choosing another experiment saves the replaced work under Recent", async () => {
  const workbench = await openPage();
  const state = () => workbench.store.getState();
  await waitFor(() => expect(state().packed).not.toBeNull());
  act(() => {
    workbench.keep({ title: "Just made" });
    workbench.openPreset("anon-hog.teach");
  });
  await waitFor(() => expect(state().session?.info.title).toMatch(/hog/));
  await waitFor(() => expect(readAside()).toHaveLength(1));
  expect(workOf(readAside()[0]?.packed ?? "")).toContain("Just made");
});
