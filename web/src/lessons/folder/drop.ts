// A folder dropped anywhere on the page is opened as a lesson, and so is an archive of one; other files
// are left to whoever else listens.

const ACCEPTING = ["dragenter", "dragover"] as const;

/** Listens to the window; `opened` hears that a folder is being opened. */
export function watchFolders(opened: () => void): () => void {
  const over = (event: DragEvent) => {
    // Without this nothing is ever dropped; whether it is a folder is not told before. An element the
    // pointer has just come to is entered and not yet passed over: it takes a drop as well.
    if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
  };
  const drop = async (event: DragEvent) => {
    const entry = event.dataTransfer?.items[0]?.webkitGetAsEntry();
    // Of a drop nothing can be read once its event is over.
    const [file] = event.dataTransfer?.files ?? [];
    const isZip = entry?.isFile === true && /\.zip$/i.test(entry.name);
    if (!entry?.isDirectory && !isZip) return;
    event.preventDefault();
    event.stopPropagation();
    const { filesIn, folders } = await import("./hand-over");
    if (entry.isDirectory) {
      void folders.open(entry.name, filesIn(entry as FileSystemDirectoryEntry));
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
