// Stores the files of the open machine in the browser, so that a reload of the tab opens them
// again. If storage is denied or full, or the files are too large, the page says that they are not
// stored.

import { type DBSchema, type IDBPDatabase, openDB } from "idb";
import { inTab, isFull } from "../../stored";

const NAME = "mmscope.machine";
const VERSION = 1;
/** The name of the machine that this tab has open. */
const OPEN_KEY = "mmscope.machine";
const MIB = 1024 ** 2;
/** The maximum number of stored bytes, as on disk. */
const MOST_STORED = 64 * MIB;

/** Whether a reload opens the files again. */
export type StorageResult = "kept" | "large" | "full" | "denied";

interface StoredMachine {
  readonly key: string;
  readonly saved_ms: number;
  readonly files: readonly { readonly name: string; readonly blob: Blob }[];
}

interface Schema extends DBSchema {
  machines: { key: string; value: StoredMachine };
}

let opening: Promise<IDBPDatabase<Schema>> | null = null;

function database(): Promise<IDBPDatabase<Schema>> {
  opening ??= openDB<Schema>(NAME, VERSION, {
    upgrade: (created) => {
      created.createObjectStore("machines", { keyPath: "key" });
    },
    // A later version in another tab must not have to wait for this tab.
    blocking: (_current, _blocked, event) => {
      (event.target as IDBDatabase).close();
      opening = null;
    },
    terminated: () => {
      opening = null;
    },
  });
  return opening;
}

/** Stores the files of the open machine, and deletes the files of any other machine. */
export async function storeFiles(files: readonly File[]): Promise<StorageResult> {
  const size = files.reduce((sum, file) => sum + file.size, 0);
  inTab.write(OPEN_KEY, null);
  if (size > MOST_STORED) return "large";
  const key = String(Date.now());
  const stored = files.map((file) => ({ name: file.webkitRelativePath || file.name, blob: file }));
  try {
    const base = await database();
    const transaction = base.transaction("machines", "readwrite");
    await transaction.store.clear();
    await transaction.store.put({ key, saved_ms: Date.now(), files: stored });
    await transaction.done;
    return inTab.write(OPEN_KEY, key);
  } catch (error) {
    opening = null;
    return isFull(error) ? "full" : "denied";
  }
}

/** The files that this tab had open before a reload; null if there are none. */
export async function storedFiles(): Promise<readonly File[] | null> {
  const key = inTab.read(OPEN_KEY);
  if (key === null) return null;
  try {
    const stored = await (await database()).get("machines", key);
    return stored?.files.map(({ name, blob }) => renamed(name, blob)) ?? null;
  } catch {
    opening = null;
    return null;
  }
}

/** A file with its original path. */
function renamed(path: string, blob: Blob): File {
  const file = new File([blob], path.split("/").at(-1) ?? path);
  if (path.includes("/")) Object.defineProperty(file, "webkitRelativePath", { value: path });
  return file;
}

/** Makes later reloads open no machine. */
export function forgetFiles(): void {
  inTab.write(OPEN_KEY, null);
}
