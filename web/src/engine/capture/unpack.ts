// Unpacks the user's files as they arrive: gz and tar in any order, recognized by their first bytes
// instead of their names. The unpacked size is limited.

import { Gunzip } from "fflate";
import { type EntrySink, isTarHeader, TarReader } from "./tar";

/** The number of bytes needed to recognize a file: the length of a tar header. */
const SNIFFED = 512;
/** The length of the size field at the end of a gz file, and the length of the shortest gz file. */
const SIZE_BYTES = 4;
const LEAST_GZ = 18;
/** The most bytes that are unpacked in total. */
const MOST_UNPACKED = 1024 ** 3;
/** The most files of an archive, and of archives in archives. */
const MOST_FILES = 500;
const MOST_DEPTH = 3;

/** The reason why a file could not be read; the message says what to do. */
export class Unreadable extends Error {}

/** Known file types that are not supported: their first bytes, and what the user can do. */
const OTHERS: readonly (readonly [begin: string, reason: string])[] = [
  [
    "\x17\x08Dtracing",
    "It is the binary file of trace-cmd. Open the output of “trace-cmd report”.",
  ],
  ["PERFILE2", "It is the binary file of perf. Open the output of “perf script”."],
  ["PK\x03\x04", "It is a zip archive. Unpack it and open the folder, or pack it as .tar.gz."],
  ["\xfd7zXZ", "It is compressed with xz. Decompress it, or compress it with gzip."],
  ["\x28\xb5\x2f\xfd", "It is compressed with zstd. Decompress it, or compress it with gzip."],
  ["BZh", "It is compressed with bzip2. Decompress it, or compress it with gzip."],
  ["\x7fELF", "It is a program, not a text file."],
];

/** Receives the content of a file that is not packed. */
export type OpenSink = (name: string, begin: Uint8Array) => EntrySink | null;

/** The data unpacked so far. */
export class Unpacking {
  readonly #open: OpenSink;
  #bytes = 0;
  #files = 0;

  constructor(open: OpenSink) {
    this.#open = open;
  }

  /** A receiver of the bytes of one file, compressed or not. */
  sink(name: string, depth = 0): EntrySink {
    this.#files += 1;
    if (this.#files > MOST_FILES) {
      throw new Unreadable(
        `There are more than ${MOST_FILES} files. Open only those of a capture.`,
      );
    }
    let held: Uint8Array | null = new Uint8Array(0);
    let inner: EntrySink | null = null;
    const decide = (begin: Uint8Array) => {
      held = null;
      inner = this.#sinkFor(name, begin, depth);
      inner?.push(begin);
    };
    return {
      push: (chunk) => {
        if (held === null) return inner?.push(chunk);
        held = joinBytes(held, chunk);
        if (held.length >= SNIFFED) decide(held);
      },
      end: () => {
        if (held !== null) decide(held);
        inner?.end();
      },
    };
  }

  #sinkFor(name: string, begin: Uint8Array, depth: number): EntrySink | null {
    if (depth > MOST_DEPTH)
      throw new Unreadable("It contains archives within archives, more than three levels deep.");
    if (begin[0] === 0x1f && begin[1] === 0x8b) return this.#gunzip(name, depth);
    if (isTarHeader(begin)) {
      const tar = new TarReader((entry) => this.sink(entry, depth + 1));
      return { push: (chunk) => tar.push(chunk), end: () => tar.end() };
    }
    const first = String.fromCharCode(...begin.subarray(0, 16));
    const other = OTHERS.find(([known]) => first.startsWith(known));
    if (other) throw new Unreadable(other[1]);
    return this.#counted(this.#open(name, begin));
  }

  #gunzip(name: string, depth: number): EntrySink {
    const inner = this.sink(
      name.replace(/\.gz$|\.tgz$/i, (end) => (end === ".gz" ? "" : ".tar")),
      depth + 1,
    );
    let tail = new Uint8Array(0);
    let unpacked = 0;
    let taken = 0;
    const gunzip = new Gunzip((chunk) => {
      unpacked += chunk.length;
      inner.push(chunk);
    });
    gunzip.onmember = () => {
      unpacked = 0;
    };
    // An error in the compressed data must not hide the data unpacked before it.
    const packed = (chunk: Uint8Array, isLast: boolean) => {
      try {
        gunzip.push(chunk, isLast);
      } catch (error) {
        if (error instanceof Error && "code" in error) throw new Truncated(inner);
        throw error;
      }
    };
    return {
      push: (chunk) => {
        taken += chunk.length;
        tail = joinBytes(tail, chunk).slice(-SIZE_BYTES);
        packed(chunk, false);
      },
      end: () => {
        packed(new Uint8Array(0), true);
        // The file ends with the size of its content.
        const size = new DataView(joinBytes(tail, new Uint8Array(SIZE_BYTES)).buffer).getUint32(
          0,
          true,
        );
        if (taken < LEAST_GZ || size !== unpacked % 2 ** 32) throw new Truncated(inner);
        inner.end();
      },
    };
  }

  #counted(sink: EntrySink | null): EntrySink | null {
    if (!sink) return null;
    return {
      push: (chunk) => {
        this.#bytes += chunk.length;
        if (this.#bytes > MOST_UNPACKED) {
          throw new Unreadable(
            "It is more than 1 GiB when unpacked. Cut the trace and open a part.",
          );
        }
        sink.push(chunk);
      },
      end: sink.end,
    };
  }
}

/** The compressed data ends too early or is damaged; `rest` has the data unpacked before. */
export class Truncated extends Error {
  readonly rest: EntrySink;

  constructor(rest: EntrySink) {
    super("The packed data is damaged or ends too early. The data before the damage was read.");
    this.rest = rest;
  }
}

function joinBytes(a: Uint8Array, b: Uint8Array): Uint8Array {
  const all = new Uint8Array(a.length + b.length);
  all.set(a);
  all.set(b, a.length);
  return all;
}
