// The message at the end of a run: a note that the run has ended, or the kernel's panic message.

import type { View } from "./types";

/** The reason why the run has ended; null while it continues. */
export function endWords({ position, panic }: Pick<View, "position" | "panic">): string | null {
  if (!position.ended) return null;
  return panic === null
    ? "The run has ended here."
    : `Kernel panic: “${panic}” The OOM killer found no process to kill. The run ends here.`;
}
