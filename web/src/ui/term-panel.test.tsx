// The explanation of a term appears on request and disappears when it is no longer needed.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ENTRIES } from "virtual:glossary";
import { act, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Term } from "./term";
import { TermPanel } from "./term-panel";

beforeEach(() => {
  vi.useFakeTimers();
  render(
    <>
      <p>
        A <Term id="zone">zone</Term> and <button type="button">more</button>
      </p>
      <button type="button" data-term="file-page active-list">
        active file
      </button>
      <button type="button" data-term="nothing">
        unknown
      </button>
      <TermPanel />
    </>,
  );
});
afterEach(() => vi.useRealTimers());

const textOf = (id: string) => ENTRIES.find((entry) => entry.id === id)?.text ?? "no such entry";
const named = (name: string) => screen.getByRole("button", { name });
const explanation = () => document.querySelector(".term-panel")?.textContent ?? "";
const pointAt = (element: Element, ms: number) => {
  fireEvent.pointerOver(element, { pointerType: "mouse" });
  act(() => void vi.advanceTimersByTime(ms));
};

test("shows the text of the glossary while the pointer rests on a term or on the panel", () => {
  pointAt(named("zone"), 200);
  expect(explanation()).toBe("");
  pointAt(named("zone"), 300);
  expect(explanation()).toContain(textOf("zone"));
  pointAt(screen.getByText("More in the glossary"), 1000);
  expect(explanation()).toContain(textOf("zone"));
  pointAt(named("more"), 300);
  expect(explanation()).toBe("");
});

test("shows two entries for an element that has both, with a longer delay than for plain words", () => {
  pointAt(named("active file"), 400);
  expect(explanation()).toBe("");
  pointAt(named("active file"), 800);
  expect(explanation()).toContain(textOf("file-page"));
  expect(explanation()).toContain(textOf("active-list"));
});

test("a mouse press performs the action of the control and shows no explanation", () => {
  const button = named("active file");
  fireEvent.pointerDown(button, { pointerType: "mouse" });
  fireEvent.click(button, { detail: 1 });
  pointAt(button, 2000);
  expect(explanation()).toBe("");
});

test("a tap shows the explanation, and a tap elsewhere hides it", () => {
  const button = named("active file");
  fireEvent.pointerDown(button, { pointerType: "touch" });
  fireEvent.click(button, { detail: 1 });
  expect(explanation()).toContain(textOf("file-page"));
  fireEvent.pointerDown(named("more"), { pointerType: "touch" });
  expect(explanation()).toBe("");
});

test("a pressed term is described by its explanation until Escape is pressed", () => {
  const term = named("zone");
  fireEvent.click(term, { detail: 1 });
  const words = document.getElementById(term.getAttribute("aria-describedby") ?? "");
  expect(words?.textContent).toContain(textOf("zone"));
  fireEvent.keyDown(term, { key: "Escape" });
  expect(explanation()).toBe("");
  expect(term.hasAttribute("aria-describedby")).toBe(false);
});

test("shows nothing for a term that the glossary lacks", () => {
  pointAt(named("unknown"), 2000);
  expect(explanation()).toBe("");
});

test("every term that the page names is in the glossary", () => {
  const src = "web/src";
  const texts = readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".tsx") && !file.endsWith(".test.tsx"))
    .map((file) => readFileSync(join(src, file), "utf8"));
  const named = texts.flatMap((text) => [
    ...[...text.matchAll(/(?:<Term\s+id|data-term)="([^"]+)"/g)].map(([, id = ""]) => id),
    ...[...text.matchAll(/TERMS\b[^=]*= \{([^}]*)\}/g)].flatMap(([, body = ""]) =>
      [...body.matchAll(/: "([^"]+)"/g)].map(([, id = ""]) => id),
    ),
  ]);
  expect(named.length).toBeGreaterThan(15);
  const known = new Set(ENTRIES.map(({ id }) => id));
  expect(named.flatMap((ids) => ids.split(" ")).filter((id) => !known.has(id))).toEqual([]);
});
