// A run put away where it stands, to go on later: the memory of its WebAssembly instance as it is
// between two calls, in a file of the browser's private file system, with a head behind it that says
// what it is of. An instance of the same module that has made the same first calls goes on from it.

import type { Position } from "./types";

/** What is said of an image. */
export interface ImageHead {
  /** The experiment, as its reader gives it back. */
  readonly experiment: string;
  readonly position: Position;
  /** State hash there: what was brought back must have it too. */
  readonly hash: string;
  /** How many values of JavaScript the instance has places for. */
  readonly refs: number;
  /** How long it has run, all visits together, ms. */
  readonly waited_ms: number;
  /** When it was put away, ms since 1970. */
  readonly kept_ms: number;
}

/** An image that was found. */
export interface KeptImage {
  readonly id: string;
  readonly head: ImageHead;
  /** Bytes it takes. */
  readonly bytes: number;
}

/** What of an instance is its state. */
export interface Instance {
  readonly memory: WebAssembly.Memory;
  readonly __wbindgen_externrefs: WebAssembly.Table;
}

/** Brings an instance to the size of an image; what is read goes into the answer. */
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

/** The folder of images, and the two files of one: the older is good until the newer is whole. */
const FOLDER = "runs";
export const SLOTS = [0, 1] as const;
export const fileName = (id: string, slot: number): string => `${encodeURIComponent(id)}.${slot}`;

/** The folder; fails where the browser has no such files, or denies them. */
export const imageFolder = async (): Promise<FileSystemDirectoryHandle> =>
  (await navigator.storage.getDirectory()).getDirectoryHandle(FOLDER, { create: true });

/** What ends a file: how long the head before it is, and a mark that it was written whole. */
export const TAIL_BYTES = 8;
const MARK = 0x6d6d_7363;

/** Head and tail, as they follow the image. */
export function endOf(head: ImageHead): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder().encode(JSON.stringify(head));
  const bytes = new Uint8Array(text.length + TAIL_BYTES);
  bytes.set(text);
  const tail = new DataView(bytes.buffer, text.length);
  tail.setUint32(0, text.length);
  tail.setUint32(4, MARK);
  return bytes;
}

/** How long the head of a file is, by its tail; none of one that was not written whole. */
export function headBytes(tail: ArrayBuffer): number | null {
  const view = new DataView(tail);
  return view.byteLength === TAIL_BYTES && view.getUint32(4) === MARK ? view.getUint32(0) : null;
}

export const headOf = (text: ArrayBuffer): ImageHead => JSON.parse(new TextDecoder().decode(text));

/** All images that are whole, each once, as they are; none where there is no such storage. */
export async function keptImages(): Promise<readonly KeptImage[]> {
  const found = new Map<string, KeptImage>();
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
    // There is none.
  }
  return [...found.values()];
}

async function readHead(handle: FileSystemFileHandle): Promise<KeptImage | null> {
  const file = await handle.getFile();
  const long = headBytes(await file.slice(-TAIL_BYTES).arrayBuffer());
  if (long === null) return null;
  const from = file.size - TAIL_BYTES - long;
  const head = headOf(await file.slice(from, from + long).arrayBuffer());
  return { id: decodeURIComponent(handle.name.slice(0, -2)), head, bytes: file.size };
}

/** Deletes images; what somebody is writing stays. */
export async function forgetImages(isMeant: (id: string) => boolean): Promise<void> {
  try {
    const folder = await imageFolder();
    for await (const name of folder.keys()) {
      if (isMeant(decodeURIComponent(name.slice(0, -2)))) {
        await folder.removeEntry(name).catch(() => {});
      }
    }
  } catch {
    // There is none.
  }
}
