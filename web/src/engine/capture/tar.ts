// Reads a tar archive as it arrives, entry by entry. Only plain files count. Long names of GNU tar
// and of POSIX are read.

const BLOCK = 512;

/** Receives the content of one entry. */
export interface EntrySink {
  readonly push: (chunk: Uint8Array) => void;
  readonly end: () => void;
}

/** The reason why an archive could not be read. */
export class TarFault extends Error {}

const text = (bytes: Uint8Array) => {
  const end = bytes.indexOf(0);
  return new TextDecoder().decode(end < 0 ? bytes : bytes.subarray(0, end));
};

/** The length in a header: octal digits, or a number in base 256 if the first bit is set. */
function sizeIn(field: Uint8Array): number {
  if ((field[0] ?? 0) & 0x80) {
    return field.subarray(1).reduce((sum, byte) => sum * 256 + byte, 0);
  }
  const digits = text(field).trim();
  if (!/^[0-7]*$/.test(digits)) throw new TarFault("its table of contents is damaged");
  return Number.parseInt(digits || "0", 8);
}

/** Is this the header of an archive's entry? Its checksum says so. */
export function isTarHeader(block: Uint8Array): boolean {
  if (block.length < BLOCK) return false;
  const sum = block
    .subarray(0, BLOCK)
    .reduce((all, byte, at) => all + (at >= 148 && at < 156 ? 32 : byte), 0);
  const digits = text(block.subarray(148, 156)).trim();
  return /^[0-7]+$/.test(digits) && Number.parseInt(digits, 8) === sum;
}

/** The name in a header of POSIX, "path=..." after its length. */
const paxName = (content: Uint8Array): string | null =>
  /(?:^|\n)\d+ path=([^\n]*)\n/.exec(new TextDecoder().decode(content))?.[1] ?? null;

/** The longest name that is read, bytes. */
const MOST_NAME = 4096;

/** Splits an archive into its files. */
export class TarReader {
  readonly #open: (name: string, size: number) => EntrySink | null;
  #held = new Uint8Array(0);
  #left = 0;
  #padding = 0;
  #sink: EntrySink | null = null;
  #isOver = false;
  /** The name of the next entry, which a separate entry contains. */
  #longName: string | null = null;

  /** `open` returns null for an entry to skip. */
  constructor(open: (name: string, size: number) => EntrySink | null) {
    this.#open = open;
  }

  /** Accepts the next bytes. */
  push(chunk: Uint8Array): void {
    let rest = chunk;
    while (rest.length > 0 && !this.#isOver) {
      if (this.#left > 0) rest = this.#content(rest);
      else if (this.#padding > 0) {
        const skipped = Math.min(this.#padding, rest.length);
        this.#padding -= skipped;
        rest = rest.subarray(skipped);
      } else rest = this.#header(rest);
    }
  }

  /** The archive has ended. */
  end(): void {
    if (this.#left > 0) throw new TarFault("it ends in the middle of a file");
    if (this.#held.length > 0) throw new TarFault("it ends in its table of contents");
  }

  #content(chunk: Uint8Array): Uint8Array {
    const part = chunk.subarray(0, this.#left);
    this.#sink?.push(part);
    this.#left -= part.length;
    if (this.#left === 0) {
      this.#sink?.end();
      this.#sink = null;
    }
    return chunk.subarray(part.length);
  }

  #header(chunk: Uint8Array): Uint8Array {
    const missing = BLOCK - this.#held.length;
    const held = new Uint8Array(this.#held.length + Math.min(missing, chunk.length));
    held.set(this.#held);
    held.set(chunk.subarray(0, missing), this.#held.length);
    this.#held = held.length === BLOCK ? new Uint8Array(0) : held;
    if (held.length === BLOCK) this.#entry(held);
    return chunk.subarray(Math.min(missing, chunk.length));
  }

  #entry(block: Uint8Array) {
    if (block.every((byte) => byte === 0)) {
      this.#isOver = true;
      return;
    }
    if (!isTarHeader(block)) throw new TarFault("its table of contents is damaged");
    const size = sizeIn(block.subarray(124, 136));
    const type = String.fromCharCode(block[156] ?? 0);
    this.#left = size;
    this.#padding = (BLOCK - (size % BLOCK)) % BLOCK;
    if (type === "L" || type === "x") {
      this.#sink = this.#nameSink(type, size);
      return;
    }
    const folder = text(block.subarray(345, 500));
    const own = text(block.subarray(0, 100));
    const isUstar = text(block.subarray(257, 263)).startsWith("ustar");
    const name = this.#longName ?? (isUstar && folder ? `${folder}/${own}` : own);
    this.#longName = null;
    if (type === "0" || type === "\0") this.#sink = this.#open(name, size);
    if (size === 0) {
      this.#sink?.end();
      this.#sink = null;
    }
  }

  #nameSink(type: "L" | "x", size: number): EntrySink {
    if (size > MOST_NAME) throw new TarFault("a name in it is too long");
    const parts: number[] = [];
    return {
      push: (part) => parts.push(...part),
      end: () => {
        const content = Uint8Array.from(parts);
        this.#longName = type === "L" ? text(content) : (paxName(content) ?? this.#longName);
      },
    };
  }
}
