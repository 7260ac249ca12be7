import { expect, test, vi } from "vitest";
import type { LinkResult } from "../link/schema";
import { Changes } from "./changes";
import { EMPTY_SETUP } from "./setup";
import { createWorkbenchStore, type Session } from "./store";

/** A workbench at a step of an experiment, and the mock that opens experiments. */
function standing(experiment: string, step: number) {
  const store = createWorkbenchStore();
  const stand = (json: string, at: number) =>
    store.setState({
      session: { experiment: json, frame: { view: { position: { step: at } } } } as Session,
    });
  stand(experiment, step);
  const open = vi.fn();
  return { store, stand, open, changes: new Changes(store, { open }) };
}

const RESULT: LinkResult = {
  step: 9,
  time_ns: 80,
  hash: "0123456789abcdef",
  engine: "0.1.0",
  ended: true,
  figures: [["pgfault", 3]],
};

test("undo opens the replaced experiment at its step, and redo opens the undone one", () => {
  const { store, stand, open, changes } = standing("old", 7);
  store.setState({ result: RESULT });
  changes.replaced(changes.present(false));
  stand("new", 3);
  store.setState({ result: null });
  changes.undo();
  expect(open).toHaveBeenLastCalledWith({
    json: "old",
    goal: { kind: "step", step: 7 },
    source: "choice",
    setup: null,
    result: RESULT,
    leaving: null,
  });
  expect(store.getState()).toMatchObject({
    past: [],
    notice: { text: "Change undone.", undo: "redo" },
  });
  stand("old", 7);
  store.setState({ result: RESULT });
  changes.redo();
  expect(open.mock.lastCall?.[0]).toMatchObject({ json: "new", goal: { kind: "step", step: 3 } });
  expect(store.getState().past).toEqual([{ json: "old", step: 7, setup: null, result: RESULT }]);
  expect(store.getState().future).toEqual([]);
});

test("undo restores the title of the experiment, and redo restores the new title", () => {
  const { store, stand, open, changes } = standing("old", 7);
  store.setState({ title: "Mine" });
  changes.replaced(changes.present(true));
  store.setState(EMPTY_SETUP);
  stand("new", 0);
  changes.undo();
  expect(open.mock.lastCall?.[0].setup).toMatchObject({ title: "Mine" });
  expect(store.getState().future[0]?.setup).toMatchObject({ title: "" });
});

test("a further change clears redo, and undo keeps at most fifty changes", () => {
  const { store, changes } = standing("one", 1);
  changes.undo();
  expect(store.getState().future).toEqual([]);
  changes.replaced(changes.present(false));
  changes.undo();
  expect(store.getState().future).toHaveLength(1);
  for (let change = 0; change < 60; change += 1) changes.replaced(changes.present(false));
  expect(store.getState().future).toEqual([]);
  expect(store.getState().past).toHaveLength(50);
});

test("undo does nothing before the first frame of the machine", () => {
  const { store, open, changes } = standing("old", 7);
  changes.replaced(changes.present(false));
  store.setState({ session: null });
  changes.undo();
  expect(open).not.toHaveBeenCalled();
  expect(store.getState().past).toHaveLength(1);
});
