// The interface between a host page and its frame: the host's module prepares the frame's window,
// and the frame's script registers its functions there. Both have the same origin.

import type { Control, Mounted, Options } from "./api";

/** The functions that the frame offers to its host. */
export type Inside = Omit<Mounted, "ready"> & {
  /** Shows the reason why the host's experiment did not open. */
  refuse(fault: string): void;
};

/** The data that the host passes to a frame. */
export interface Outside {
  /** The address of the engine's module. */
  readonly engineUrl: string;
  readonly theme: NonNullable<Options["theme"]>;
  readonly controls: readonly Control[];
  readonly site: string | null;
  /** The frame is ready for calls. */
  readonly ready: (inside: Inside) => void;
}

declare global {
  interface Window {
    /** Set by the host before the frame's script runs. */
    mmscope?: Outside;
  }
}
