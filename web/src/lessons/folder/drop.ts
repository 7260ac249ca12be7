// Opens a folder, or an archive of a folder, that is dropped anywhere on the page as a lesson.
// Other files are left to other listeners.

const ACCEPTING = ["dragenter", "dragover"] as const;

/**
 * Listens to the window; calls `opened` when a folder is being opened. `isTaken` may accept the
 * files of a folder that is not a lesson.
 */
export function watchFolders(
  opened: () => void,
  isTaken: (files: readonly File[]) => boolean = () => false,
): () => void {
  const over = (event: DragEvent) => {
    // The browser drops files only where this is called; it reveals a folder only at the drop. A
    // drop may follow "dragenter" without a "dragover", so both events call it.
    if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
  };
  const drop = async (event: DragEvent) => {
    const entry = event.dataTransfer?.items[0]?.webkitGetAsEntry();
    // The data of a drop can be read only during its event.
    const [file] = event.dataTransfer?.files ?? [];
    const isZip = entry?.isFile === true && /\.zip$/i.test(entry.name);
    if (!entry?.isDirectory && !isZip) return;
    event.preventDefault();
    event.stopPropagation();
    const { filesIn, folders } = await import("./hand-over");
    if (entry.isDirectory) {
      const files = filesIn(entry as FileSystemDirectoryEntry);
      const known = await files.catch(() => []);
      const isLesson = known.some(({ name }) => name === "lesson.json");
      if (!isLesson && isTaken(known)) return;
      void folders.open(entry.name, files);
    } else if (file) void folders.openArchive(file);
    opened();
  };
  const options = { capture: true };
  for (const type of ACCEPTING) addEventListener(type, over, options);
  addEventListener("drop", drop, options);
  return () => {
    for (const type of ACCEPTING) removeEventListener(type, over, options);
    removeEventListener("drop", drop, options);
  };
}
