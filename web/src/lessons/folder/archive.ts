// A lesson's folder as one file: a zip that contains the folder. Untrusted archives are read with
// size limits, and errors are reported.

import { strToU8, type UnzipFileInfo, unzipSync, zipSync } from "fflate";
import type { FolderTexts } from "./check";
import { isOfLesson, MOST_BYTES, type ReadFolder, readFiles } from "./read";
import { ARCHIVE } from "./words";

/** Largest archive of a lesson, bytes. */
const MOST_ARCHIVE_BYTES = 8 * MOST_BYTES;
/** Most entries of an archive. */
const MOST_ENTRIES = 500;
/** The compression methods that are read: none and deflate. */
const KNOWN_COMPRESSIONS = [0, 8];

/** The reason why an archive was not read, as a message. */
class Refused extends Error {}

/** A folder's files as an archive that contains the folder. */
export const archiveOf = (folder: string, texts: FolderTexts): Uint8Array =>
  zipSync(
    Object.fromEntries(
      Object.entries(texts).map(([name, text]) => [`${folder}/${name}`, strToU8(text)]),
    ),
  );

/** Is a file an archive, judging by its name? */
export const isArchive = ({ name }: { readonly name: string }): boolean => /\.zip$/i.test(name);

/** Reads the folder in an archive. */
export async function readArchive(file: File): Promise<ReadFolder> {
  const called = file.name.replace(/\.zip$/i, "") || "lesson";
  try {
    if (file.size > MOST_ARCHIVE_BYTES) {
      throw new Refused(ARCHIVE.tooLarge);
    }
    const bytes = new Uint8Array(await file.arrayBuffer());
    const { name, files } = folderIn(bytes);
    return readFiles(name || called, files);
  } catch (error) {
    const reason = error instanceof Refused ? error.message : ARCHIVE.notZip;
    return { name: file.name, texts: {}, faults: [{ file: file.name, line: null, reason }] };
  }
}

/** The name of the lesson's folder in an archive, and its files. Only those are unpacked. */
function folderIn(bytes: Uint8Array): { name: string; files: readonly File[] } {
  const infos: UnzipFileInfo[] = [];
  // Reads the list of entries first, without unpacking.
  unzipSync(bytes, {
    filter: (info) => {
      infos.push(info);
      if (infos.length > MOST_ENTRIES) {
        throw new Refused(ARCHIVE.tooMany(MOST_ENTRIES));
      }
      return false;
    },
  });
  const folder = lessonFolder(infos.map(({ name }) => name));
  if (folder === null) {
    throw new Refused(ARCHIVE.noLesson);
  }
  const ofLesson = infos.filter(
    ({ name }) => name.startsWith(folder) && isOfLesson(name.slice(folder.length)),
  );
  for (const { name, originalSize, compression } of ofLesson) {
    const own = name.slice(folder.length);
    if (originalSize > MOST_BYTES) {
      throw new Refused(ARCHIVE.fileTooLarge(own));
    }
    if (!KNOWN_COMPRESSIONS.includes(compression)) {
      throw new Refused(ARCHIVE.unknownMethod(own));
    }
  }
  const names = new Set(ofLesson.map(({ name }) => name));
  // An entry gets as much memory as its stated size; the rest of its data is dropped.
  const unpacked = unzipSync(bytes, { filter: ({ name }) => names.has(name) });
  const files = Object.entries(unpacked).map(
    ([name, content]) => new File([new Uint8Array(content)], name.slice(folder.length)),
  );
  return { name: folder.replace(/\/$/, ""), files };
}

/** The lesson's folder with its slash: "" at the top, null if there is none. */
function lessonFolder(names: readonly string[]): string | null {
  const found = names
    .map((name) => /^((?:[^/\\]+\/)?)lesson\.json$/.exec(name)?.[1])
    .filter((folder) => folder !== undefined && !/^(\.\.?|__MACOSX)\/$/.test(folder));
  return found[0] ?? null;
}
