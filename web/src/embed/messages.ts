// The page embed.html of the package: shows the experiment in its address, and answers messages of
// the surrounding page.
//
//   in:   { mmscope: "open", experiment, at?, id? }   { mmscope: "go", at, id? }   { mmscope: "state", id? }
//   out:  { mmscope: "state", state, id? }   { mmscope: "fault", fault, id? }
//
// An `id` comes back with the answer. A state without `id` is sent whenever the machine comes to rest.

import { readEmbed } from "../link/embed";
import type { Control, Experiment, Moment, Mounted, Options, State } from "./api";
import { mount } from "./host";
import { sentenceOf } from "./sentence";

/** Shows the experiment of the address in an element, and listens to the surrounding page. */
export function serve(element: Element): Mounted {
  const { hash } = location;
  const machine = mount(element, hash, { ...optionsOf(hash), height: "100dvh" });
  const send = (message: object) => parent.postMessage(message, "*");
  machine.onState((state) => send({ mmscope: "state", state }));
  machine.ready.catch((error: unknown) => send({ mmscope: "fault", fault: sentenceOf(error) }));
  addEventListener("message", ({ source, data }) => {
    if (source !== parent || typeof data?.mmscope !== "string") return;
    const id = data.id === undefined ? {} : { id: data.id };
    answer(machine, data)?.then(
      (state) => send({ mmscope: "state", state, ...id }),
      (error: unknown) => send({ mmscope: "fault", fault: sentenceOf(error), ...id }),
    );
  });
  return machine;
}

/** A message of the surrounding page. */
interface Message {
  readonly mmscope: string;
  readonly experiment: Experiment;
  readonly at: Moment;
}

function answer(machine: Mounted, message: Message): Promise<State> | null {
  switch (message.mmscope) {
    case "open":
      return machine.open(message.experiment, message.at);
    case "go":
      return machine.go(message.at);
    case "state":
      return machine.state();
    default:
      return null;
  }
}

/**
 * The options in the fragment of the address, which has the same form as in mmscope's own frames.
 */
function optionsOf(fragment: string): Options {
  const query = fragment.slice(fragment.indexOf("?") + 1);
  const embed = readEmbed("workbench", `embed=stage&${query}`);
  const at = /(?:^|&)at=(start|end|\d+)(?:&|$)/.exec(query)?.[1];
  return {
    theme: embed?.theme ?? "auto",
    ...(embed && { controls: embed.controls as readonly Control[] }),
    ...(at !== undefined && { at: at === "start" || at === "end" ? at : Number(at) }),
  };
}
