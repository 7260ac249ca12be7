// Writes images of runs from an instance's memory and reads them back into it, in a worker.

import {
  endOf,
  fileName,
  headBytes,
  headOf,
  type ImageHead,
  type Instance,
  imageFolder,
  roomFor,
  SLOTS,
  TAIL_BYTES,
} from "../image";

/** The two files of one image. */
export class ImageFiles {
  readonly #id: string;
  /** The index of the complete file. */
  #whole: number | null = null;

  constructor(id: string) {
    this.#id = id;
  }

  /**
   * Loads the newest image of an experiment into an instance; returns its descriptor, or null if
   * there is no image. If the promise rejects, the instance was changed and cannot be used any
   * more.
   */
  async load(instance: Instance, experiment: string): Promise<ImageHead | null> {
    const heads = await Promise.all(
      SLOTS.map((slot) => this.#with(slot, readHead).catch(() => null)),
    );
    const newest = (a: number, b: number) =>
      (heads[b]?.position.step ?? -1) - (heads[a]?.position.step ?? -1);
    const [slot = 0] = [...SLOTS].sort(newest);
    const head = heads[slot] ?? null;
    if (!head || head.experiment !== experiment) return null;
    this.#whole = slot;
    await this.#with(slot, (file) => {
      const end = endOf(head).length;
      const into = roomFor(instance, { bytes: file.getSize() - end, refs: head.refs });
      if (file.read(into, { at: 0 }) !== into.length) throw new Error("an image is incomplete");
    });
    return head;
  }

  /** Stores an instance; returns whether there was enough space. */
  async save(instance: Instance, fields: Omit<ImageHead, "refs">): Promise<boolean> {
    const slot = this.#whole === 0 ? 1 : 0;
    const head = { ...fields, refs: instance.__wbindgen_externrefs.length };
    try {
      await this.#with(slot, (file) => {
        const image = new Uint8Array(instance.memory.buffer);
        const end = endOf(head);
        file.truncate(0);
        const isWhole =
          file.write(image, { at: 0 }) === image.length &&
          file.write(end, { at: image.length }) === end.length;
        if (!isWhole) file.truncate(0);
        file.flush();
        if (!isWhole) throw new Error("no room");
      });
    } catch {
      return false;
    }
    this.#whole = slot;
    await this.#remove(1 - slot);
    return true;
  }

  /** Deletes both files. */
  async forget(): Promise<void> {
    for (const slot of SLOTS) await this.#remove(slot);
    this.#whole = null;
  }

  async #remove(slot: number): Promise<void> {
    try {
      await (await imageFolder()).removeEntry(fileName(this.#id, slot));
    } catch {
      // The file does not exist.
    }
  }

  async #with<T>(slot: number, work: (file: FileSystemSyncAccessHandle) => T): Promise<T> {
    const folder = await imageFolder();
    const handle = await folder.getFileHandle(fileName(this.#id, slot), { create: true });
    const file = await handle.createSyncAccessHandle();
    try {
      return work(file);
    } finally {
      file.close();
    }
  }
}

function readHead(file: FileSystemSyncAccessHandle): ImageHead | null {
  const size = file.getSize();
  const tail = new Uint8Array(TAIL_BYTES);
  if (file.read(tail, { at: size - TAIL_BYTES }) !== TAIL_BYTES) return null;
  const long = headBytes(tail.buffer);
  if (long === null) return null;
  const text = new Uint8Array(long);
  file.read(text, { at: size - TAIL_BYTES - long });
  return headOf(text.buffer);
}
