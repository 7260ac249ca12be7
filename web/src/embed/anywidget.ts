// The machine as an anywidget: in Jupyter with the traits of a model, in MyST with the options of a
// directive.

import type { Experiment, Moment, Mounted, Options } from "./api";
import { mount } from "./host";

/** The part of a widget's model that is used here. */
export interface Model {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  on(event: string, callback: () => void): void;
  off(event: string, callback: () => void): void;
}

const OPTIONS = ["at", "theme", "controls", "height", "site"] as const;

/**
 * Shows the trait `experiment`, and updates the trait `hash` to the state hash of the shown moment.
 */
export function render({ model, el }: { model: Model; el: Element }): () => void {
  const given = OPTIONS.map((name) => [name, model.get(name) ?? undefined]);
  const options: Options = Object.fromEntries(given.filter(([, value]) => value !== undefined));
  const read = () => model.get("experiment") as Experiment;
  const machine = mount(el, read(), options);
  machine.onState(({ hash }) => {
    if (model.get("hash") !== hash) put(model, "hash", hash);
  });
  const change = () => void openIn(machine, read(), options.at);
  model.on("change:experiment", change);
  return () => {
    machine.destroy();
    ifPossible(() => model.off("change:experiment", change));
  };
}

function put(model: Model, name: string, value: unknown): void {
  model.set(name, value);
  ifPossible(() => model.save_changes());
}

/** The model of a MyST page cannot be saved, and throws when it is asked to. */
function ifPossible(act: () => void): void {
  try {
    act();
  } catch {
    // This does no harm: the model lives as long as its page.
  }
}

/**
 * If the engine rejects the next experiment, the open one stays, and the browser's console shows
 * the reasons.
 */
async function openIn(machine: Mounted, experiment: Experiment, at?: Moment): Promise<void> {
  try {
    await machine.open(experiment, at);
  } catch (error) {
    console.error(error);
  }
}
