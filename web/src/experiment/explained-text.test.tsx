// The explanation of a pasted text, from the real engine.

import { readFileSync } from "node:fs";
import { fireEvent, render, screen, within } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { readExplanation } from "../engine/explanation";
import { textCalls } from "../engine/loaded.test-support";
import { ExplainedText } from "./ExplainedText";

const explained = (path: string) => {
  const text = readFileSync(path, "utf8");
  return readExplanation(textCalls().explain_machine(JSON.stringify([{ name: "pasted", text }])));
};

test("lists the sentences of each report, opens the first one, and leads to the lines", () => {
  const { documents, refusals } = explained("engine/explain/tests/data/oom-5.10.txt");
  expect(refusals).toEqual([]);
  const show = vi.fn();
  render(<ExplainedText documents={documents} show={show} />);
  const [first, second] = screen.getAllByRole("group");
  expect([first, second].map((group) => group?.hasAttribute("open"))).toEqual([true, false]);
  expect(first?.querySelector("summary")?.textContent).toBe(
    "Line 1: out of memory when wl requested 4 kB (order 0); killed: wl (pid 247)",
  );
  const item = within(first as HTMLElement)
    .getAllByRole("listitem")
    .find(({ textContent }) => textContent?.includes("Zone DMA32 of node 0 has 2,572 kB free."));
  expect(item?.textContent).toContain("Cause: ");
  fireEvent.click(within(item as HTMLElement).getByRole("button", { name: "line 26" }));
  expect(show).toHaveBeenCalledWith(26);
});

test("keeps the explanation of a listing closed and has no button without a line", () => {
  const { documents } = explained("engine/facts/tests/data/zoneinfo/plain.txt");
  render(<ExplainedText documents={documents} show={() => {}} />);
  expect(screen.getByRole("group").hasAttribute("open")).toBe(false);
  const last = within(screen.getByRole("group")).getAllByRole("listitem", { hidden: true }).at(-1);
  expect(last?.textContent).toContain("/proc/buddyinfo of the same moment would");
  expect(within(last as HTMLElement).queryByRole("button", { hidden: true })).toBeNull();
});

test("throws the reason of the engine if the input is not a list of files", () => {
  expect(() => readExplanation(textCalls().explain_machine("{}"))).toThrow("not a list of files");
});
