// Opens a file dropped anywhere on the workbench.

import { type DragEvent, useState } from "react";
import { useWorkbench } from "../../app/context";

const holdsFiles = ({ dataTransfer }: DragEvent) => dataTransfer.types.includes("Files");

/** The workbench's drop listeners, and whether a file is held above it. */
export function useFileDrop() {
  const workbench = useWorkbench();
  const [isOver, setOver] = useState(false);
  const accept = (event: DragEvent) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    setOver(true);
  };
  const onDragLeave = (event: DragEvent) => {
    // Ignores moves between parts of the page.
    if (event.relatedTarget === null) setOver(false);
  };
  const onDrop = async (event: DragEvent) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    setOver(false);
    const [file] = event.dataTransfer.files;
    if (!file) return;
    const { openFile } = await import("./later");
    await openFile(workbench, file);
  };
  return { isOver, listeners: { onDragEnter: accept, onDragOver: accept, onDragLeave, onDrop } };
}
