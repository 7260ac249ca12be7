// The agreement between a host page and the frame in it: the host's module prepares the frame's
// window, and the frame's script answers there. Both have the same origin.

import type { Control, Mounted, Options } from "./api";

/** What the frame can do for its host. */
export type Inside = Omit<Mounted, "ready"> & {
  /** Shows why the experiment of the host did not open. */
  refuse(fault: string): void;
};

/** What the host gives a frame. */
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
