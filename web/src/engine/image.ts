// Stores an unfinished run so that it can continue later. The image is the memory of its
// WebAssembly instance between two calls, in a file of the browser's private file system, followed
// by a descriptor. An instance of the same module that has made the same first calls can continue
// it.

import type { Position } from "./types";

/** The description of an image. */
export interface ImageHead {
  /** The experiment as its reader returns it. */
  readonly experiment: string;
  readonly position: Position;
  /** The state hash at that position; the restored run must have the same hash. */
  readonly hash: string;
  /** The size of the instance's table for JavaScript values. */
  readonly refs: number;
  /** How long the run has taken, summed over all visits, ms. */
  readonly waited_ms: number;
  /** When the image was stored, ms since 1970. */
  readonly kept_ms: number;
}

/** A stored image. */
export interface StoredImage {
  readonly id: string;
  readonly head: ImageHead;
  /** Size in bytes. */
  readonly bytes: number;
}

/** The parts of an instance that make up its state. */
export interface Instance {
  readonly memory: WebAssembly.Memory;
  readonly __wbindgen_externrefs: WebAssembly.Table;
}

/** Grows an instance to the size of an image; returns the memory to read the image into. */
export function roomFor({ memory, __wbindgen_externrefs: refs }: Instance, of: Room): Uint8Array {
  const more = of.bytes - memory.buffer.byteLength;
  if (more > 0) memory.grow(Math.ceil(more / WASM_PAGE));
  if (of.refs > refs.length) refs.grow(of.refs - refs.length);
  return new Uint8Array(memory.buffer, 0, of.bytes);
}

interface Room {
  readonly bytes: number;
  readonly refs: number;
}

const WASM_PAGE = 65_536;

/** The folder of images. Each image has two files: the older stays valid until the newer is
 * complete. */
const FOLDER = "runs";
export const SLOTS = [0, 1] as const;
export const fileName = (id: string, slot: number): string => `${encodeURIComponent(id)}.${slot}`;

/** The folder; rejects if the browser has no such files or denies access. */
export const imageFolder = async (): Promise<FileSystemDirectoryHandle> =>
  (await navigator.storage.getDirectory()).getDirectoryHandle(FOLDER, { create: true });

/**
 * The tail of a file: the length of the preceding descriptor, and a marker that the file is
 * complete.
 */
export const TAIL_BYTES = 8;
const MARK = 0x6d6d_7363;

/** Descriptor and tail, in the order in which they follow the image. */
export function endOf(head: ImageHead): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder().encode(JSON.stringify(head));
  const bytes = new Uint8Array(text.length + TAIL_BYTES);
  bytes.set(text);
  const tail = new DataView(bytes.buffer, text.length);
  tail.setUint32(0, text.length);
  tail.setUint32(4, MARK);
  return bytes;
}

/** The length of a file's descriptor, read from the tail; null if the file is incomplete. */
export function headBytes(tail: ArrayBuffer): number | null {
  const view = new DataView(tail);
  return view.byteLength === TAIL_BYTES && view.getUint32(4) === MARK ? view.getUint32(0) : null;
}

export const headOf = (text: ArrayBuffer): ImageHead => JSON.parse(new TextDecoder().decode(text));

/** All complete images, each listed once; empty if there is no such storage. */
export async function storedImages(): Promise<readonly StoredImage[]> {
  const found = new Map<string, StoredImage>();
  try {
    for await (const handle of (await imageFolder()).values()) {
      if (handle.kind !== "file") continue;
      const image = await readHead(handle).catch(() => null);
      const last = image && found.get(image.id);
      if (image && !(last && last.head.position.step > image.head.position.step)) {
        found.set(image.id, image);
      }
    }
  } catch {
    // The folder does not exist.
  }
  return [...found.values()];
}

async function readHead(handle: FileSystemFileHandle): Promise<StoredImage | null> {
  const file = await handle.getFile();
  const long = headBytes(await file.slice(-TAIL_BYTES).arrayBuffer());
  if (long === null) return null;
  const from = file.size - TAIL_BYTES - long;
  const head = headOf(await file.slice(from, from + long).arrayBuffer());
  return { id: decodeURIComponent(handle.name.slice(0, -2)), head, bytes: file.size };
}

/** Deletes images, except those that a worker is writing. */
export async function forgetImages(isMeant: (id: string) => boolean): Promise<void> {
  try {
    const folder = await imageFolder();
    for await (const name of folder.keys()) {
      if (isMeant(decodeURIComponent(name.slice(0, -2)))) {
        await folder.removeEntry(name).catch(() => {});
      }
    }
  } catch {
    // The folder does not exist.
  }
}
