// Opens files and folders of a machine that are dropped anywhere on the page. Files that other
// listeners know, such as a moment or a lesson, are left to them.

import { areOfMachine } from "../../engine/capture/names";

/** Listens to the window; `isOpen` says whether this page is shown, `show` brings it up. */
export function watchMachines(isOpen: () => boolean, show: () => void): () => void {
  const drop = (event: DragEvent) => {
    const items = [...(event.dataTransfer?.items ?? [])];
    const entries = items.flatMap((item) => item.webkitGetAsEntry() ?? []);
    const files = [...(event.dataTransfer?.files ?? [])];
    const hasFolder = entries.some(({ isDirectory }) => isDirectory);
    // A lone folder may be a lesson: its own listener looks at it first.
    if (hasFolder || files.length === 0) return;
    if (!isOpen() && !areOfMachine(files.map(({ name }) => name))) return;
    event.preventDefault();
    event.stopPropagation();
    void import("./opened").then(({ machines }) => machines.open(files));
    show();
  };
  addEventListener("drop", drop, { capture: true });
  return () => removeEventListener("drop", drop, { capture: true });
}
