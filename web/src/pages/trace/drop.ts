// Opens files and folders of a machine that are dropped anywhere on the page. Files that other
// listeners know, such as a moment or a lesson, are left to them.

import { areOfMachine } from "../../engine/capture/names";

/** Listens to the window; `isOpen` says whether this page is shown, `show` brings it up. */
export function watchMachines(isOpen: () => boolean, show: () => void): () => void {
  const drop = (event: DragEvent) => {
    const items = [...(event.dataTransfer?.items ?? [])];
    const entries = items.flatMap((item) => item.webkitGetAsEntry() ?? []);
    const all = [...(event.dataTransfer?.files ?? [])];
    const [first] = entries;
    // A folder may be a lesson: the lesson listener handles it first.
    if (all.length === 0 || first?.isDirectory) return;
    // A folder is also listed among the files, as an unreadable file.
    const folders = entries.filter(isFolder);
    const names = new Set(folders.map(({ name }) => name));
    const files = all.filter(({ name }) => !names.has(name));
    if (!isOpen() && !areOfMachine(files.map(({ name }) => name))) return;
    event.preventDefault();
    event.stopPropagation();
    void open(files, folders);
    show();
  };
  addEventListener("drop", drop, { capture: true });
  return () => removeEventListener("drop", drop, { capture: true });
}

const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;

async function open(files: readonly File[], folders: readonly FileSystemDirectoryEntry[]) {
  const { machines } = await import("./opened");
  const inFolders = await Promise.all(folders.map((folder) => filesIn(folder).catch(() => [])));
  await machines.open([...files, ...inFolders.flat()]);
}

/** The files of a folder, without subfolders. */
async function filesIn(folder: FileSystemDirectoryEntry): Promise<File[]> {
  const reader = folder.createReader();
  const files: File[] = [];
  // A directory reader returns some entries at a time, and an empty list at the end.
  for (;;) {
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) => {
      reader.readEntries(resolve, reject);
    });
    if (entries.length === 0) return files;
    for (const entry of entries) {
      if (entry.isFile) {
        const file = entry as FileSystemFileEntry;
        files.push(await new Promise<File>((resolve, reject) => file.file(resolve, reject)));
      }
    }
  }
}
