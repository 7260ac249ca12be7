// The texts of an embedded machine.

import { shortened } from "../engine/shortened";

export const words = {
  cannotOpen: "This experiment cannot be opened",
  unknownPreset: (id: string) => `There is no ready-made experiment "${shortened(id)}".`,
  notWorkbench: "This link does not lead to the workbench of mmscope.",
  emptyLink: "This link contains no experiment.",
  refusal: (path: string, reason: string) => (path ? `${path}: ${reason}` : reason),
  notStarted: (message: string) => `The engine did not start: ${message}`,
  stopped: (message: string) => `The engine stopped: ${message}`,
  destroyed: "This machine was removed from the page.",
  frameTitle: "mmscope: a simulated machine",
  noFrame: "The browser did not open a frame for mmscope.",
};
