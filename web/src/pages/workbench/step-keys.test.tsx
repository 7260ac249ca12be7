import { fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FocusBy } from "./step-keys";

let taken: string[] = [];
let ends: () => void = () => {};

beforeEach(() => {
  taken = [];
  const focusBy = new FocusBy();
  const ignore = focusBy.listen();
  const press = (event: KeyboardEvent) => {
    const command = focusBy.stepOf(event);
    if (command) taken.push(command.does);
  };
  addEventListener("keydown", press, true);
  ends = () => {
    ignore();
    removeEventListener("keydown", press, true);
  };
  render(
    <>
      <button type="button" role="tab">
        tab
      </button>
      <input type="range" aria-label="speed" />
      <input type="search" aria-label="find" />
      <select aria-label="kind" />
    </>,
  );
});
afterEach(() => ends());

/** The events of a mouse click. */
function click(element: HTMLElement) {
  fireEvent.mouseDown(element);
  element.focus();
  fireEvent.mouseUp(element);
}

const arrow = (element: HTMLElement, more = {}) =>
  fireEvent.keyDown(element, { key: "ArrowRight", ...more });

test("an arrow key steps after focus by mouse and belongs to the widget after focus by keyboard", () => {
  for (const element of [screen.getByRole("tab"), screen.getByRole("slider")]) {
    taken = [];
    element.focus();
    arrow(element);
    expect(taken).toEqual([]);
    // A click on the focused element.
    click(element);
    arrow(element);
    expect(taken).toEqual(["step into: the next line of this task"]);
    element.blur();
    element.focus();
    arrow(element);
    expect(taken).toHaveLength(1);
  }
});

test("text fields and selects keep their arrow keys, and a key combination does not step", () => {
  for (const element of [screen.getByRole("searchbox"), screen.getByRole("combobox")]) {
    click(element);
    arrow(element);
  }
  const tab = screen.getByRole("tab");
  click(tab);
  arrow(tab, { ctrlKey: true });
  expect(taken).toEqual([]);
  arrow(tab, { shiftKey: true });
  expect(taken).toEqual([]);
  fireEvent.keyDown(tab, { key: "ArrowLeft", shiftKey: true });
  expect(taken).toEqual(["go back to the call of this function"]);
});
