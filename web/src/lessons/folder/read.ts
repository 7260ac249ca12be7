// Reads the files of a folder that the user dropped or chose. The files are not sent anywhere.

import { FILE_SCHEMAS } from "../schema";
import type { FolderTexts } from "./check";
import { type Fault, PROSE_FILE } from "./fault";
import { READ } from "./words";

/** A folder that was read. */
export interface ReadFolder {
  readonly name: string;
  readonly texts: FolderTexts;
  readonly faults: readonly Fault[];
}

/** Largest file of a lesson, bytes. */
export const MOST_BYTES = 1024 * 1024;

const NAMES: readonly string[] = [PROSE_FILE, ...Object.keys(FILE_SCHEMAS)];

/** Does a file belong to a lesson, judging by its name? */
export const isOfLesson = (name: string): boolean => NAMES.includes(name);

/** Reads a lesson's files among the files of a folder, and ignores the others. */
export async function readFiles(name: string, files: readonly File[]): Promise<ReadFolder> {
  const texts: Record<string, string> = {};
  const faults: Fault[] = [];
  for (const file of files.filter((each) => isOfLesson(each.name))) {
    const blame = (reason: string) => faults.push({ file: file.name, line: null, reason });
    try {
      if (file.size > MOST_BYTES) blame(READ.tooLarge);
      else texts[file.name] = await file.text();
    } catch {
      blame(READ.notRead);
    }
  }
  return { name, texts, faults };
}

/** The folder of the files from a file input; their paths begin with the folder's name. */
export function folderOf(files: readonly File[]): { name: string; files: readonly File[] } {
  const depthOf = ({ webkitRelativePath }: File) => webkitRelativePath.split("/").length;
  const [name = "folder"] = (files[0]?.webkitRelativePath ?? "").split("/");
  // Files of subfolders are left out.
  return { name: name || "folder", files: files.filter((file) => depthOf(file) <= 2) };
}

/** The files of a dropped folder. */
export async function filesIn(folder: FileSystemDirectoryEntry): Promise<readonly File[]> {
  const reader = folder.createReader();
  const files: File[] = [];
  // A directory reader returns some entries at a time, and an empty list at the end.
  for (;;) {
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) => {
      reader.readEntries(resolve, reject);
    });
    if (entries.length === 0) return files;
    for (const entry of entries) if (isFile(entry)) files.push(await fileOf(entry));
  }
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;

const fileOf = (entry: FileSystemFileEntry): Promise<File> =>
  new Promise((resolve, reject) => {
    entry.file(resolve, reject);
  });
