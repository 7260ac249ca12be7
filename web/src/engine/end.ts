// What is said where a run has ended: that it has, or what the kernel said when it panicked.

import type { View } from "./types";

/** Why nothing runs any more; null while something does. */
export function endWords({ position, panic }: Pick<View, "position" | "panic">): string | null {
  if (!position.ended) return null;
  return panic === null
    ? "The run has ended here."
    : `Kernel panic: “${panic}” The OOM killer found no process to kill. The run ends here.`;
}
