// Takes in the files of a machine: traces go to the engine's reader as they arrive, texts are
// collected. The first bytes and the name of a file determine its kind.

import type { CaptureCalls, TextRefusal, TraceInfo, TraceSource } from "./answers";
import { baseOf, isTraceText } from "./names";
import { type EntrySink, TarFault } from "./tar";
import { Truncated, Unpacking, Unreadable } from "./unpack";

/** The most bytes of one text, and of all texts. */
const MOST_TEXT = 16 * 1024 ** 2;
const MOST_TEXTS = 64 * 1024 ** 2;
/** The most traces that are open at once. */
const MOST_TRACES = 4;

/** A file that was read. */
export interface TakenFile {
  readonly name: string;
  readonly bytes: number;
  readonly use: "trace" | "text" | "ignored";
}

/** A trace that was read. */
export interface TakenTrace {
  readonly name: string;
  readonly source: TraceSource;
  readonly info: TraceInfo;
}

const TRACE_NAME = /^(?:f?trace|perf)\b[^/]*$/i;
const DATA_NAME = /\.(?:json|csv|tsv)$/i;

/** Is a file a trace, judging by its first bytes and its name? */
function isTrace(name: string, begin: Uint8Array): boolean {
  if (isTraceText(new TextDecoder().decode(begin))) return true;
  const base = baseOf(name);
  return TRACE_NAME.test(base) && !DATA_NAME.test(base);
}

/** Bytes that do not occur in text. */
const isBinary = (begin: Uint8Array): boolean => {
  const isUtf16 =
    (begin[0] === 0xff && begin[1] === 0xfe) || (begin[0] === 0xfe && begin[1] === 0xff);
  return !isUtf16 && begin.filter((byte) => byte === 0).length > begin.length / 8;
};

/** The text of some bytes: UTF-16 with its mark, otherwise UTF-8. */
function textOf(parts: readonly Uint8Array[]): string {
  const [first] = parts;
  const how =
    first?.[0] === 0xff && first[1] === 0xfe
      ? "utf-16le"
      : first?.[0] === 0xfe && first[1] === 0xff
        ? "utf-16be"
        : "utf-8";
  const decoder = new TextDecoder(how);
  return parts.map((part) => decoder.decode(part, { stream: true })).join("") + decoder.decode();
}

/** Reads files, one after the other. */
export class Intake {
  readonly files: TakenFile[] = [];
  readonly refusals: TextRefusal[] = [];
  /** Texts by name. */
  readonly texts = new Map<string, string>();
  readonly traces: TakenTrace[] = [];
  readonly #calls: CaptureCalls;
  readonly #unpacking = new Unpacking((name, begin) => this.#open(name, begin));
  #textBytes = 0;

  constructor(calls: CaptureCalls) {
    this.#calls = calls;
  }

  /** A receiver of one file's bytes that turns every failure into an error with a location. */
  take(name: string): EntrySink {
    let isBroken = false;
    const guarded = (work: () => void) => {
      if (isBroken) return;
      try {
        work();
      } catch (error) {
        isBroken = true;
        this.#fault(name, error);
      }
    };
    let sink: EntrySink | null = null;
    return {
      push: (chunk) =>
        guarded(() => {
          sink ??= this.#unpacking.sink(name);
          sink.push(chunk);
        }),
      end: () =>
        guarded(() => {
          sink ??= this.#unpacking.sink(name);
          sink.end();
        }),
    };
  }

  /** Frees the traces. */
  free(): void {
    for (const { source } of this.traces) source.free();
  }

  #fault(name: string, error: unknown) {
    if (error instanceof Truncated) {
      try {
        error.rest.end();
      } catch (inner) {
        this.#fault(name, inner);
      }
      this.refusals.push({ file: name, line: this.#lastLine(), reason: error.message });
    } else if (error instanceof TarFault) {
      const reason = `It is not a complete tar archive: ${error.message}. The files before the damage were read.`;
      this.refusals.push({ file: name, line: null, reason });
    } else if (error instanceof Unreadable) {
      this.refusals.push({ file: name, line: null, reason: error.message });
    } else throw error;
  }

  /** The last line of the trace that was just read. */
  #lastLine(): number | null {
    return this.traces.at(-1)?.info.lines ?? null;
  }

  #open(name: string, begin: Uint8Array): EntrySink | null {
    if (isTrace(name, begin)) return this.#trace(name);
    if (isBinary(begin)) {
      this.files.push({ name, bytes: begin.length, use: "ignored" });
      const reason = "It is not a text file. Open files of /proc, the output of dmesg, or a trace.";
      this.refusals.push({ file: name, line: null, reason });
      return null;
    }
    return this.#text(name);
  }

  #trace(name: string): EntrySink | null {
    if (this.traces.length >= MOST_TRACES) {
      const reason = `Only ${MOST_TRACES} traces can be opened together. Open this one alone.`;
      this.refusals.push({ file: name, line: null, reason });
      return null;
    }
    const source = this.#calls.newTrace();
    let bytes = 0;
    return {
      push: (chunk) => {
        bytes += chunk.length;
        source.feed(chunk);
      },
      end: () => {
        const info: TraceInfo = JSON.parse(source.finish());
        this.files.push({ name, bytes, use: "trace" });
        for (const { line, reason } of info.refusals)
          this.refusals.push({ file: name, line, reason });
        this.traces.push({ name, source, info });
      },
    };
  }

  #text(name: string): EntrySink {
    const parts: Uint8Array[] = [];
    let bytes = 0;
    return {
      push: (chunk) => {
        bytes += chunk.length;
        this.#textBytes += chunk.length;
        if (bytes > MOST_TEXT || this.#textBytes > MOST_TEXTS) {
          throw new Unreadable(
            "It is larger than 16 MiB, or all text files together are larger than 64 MiB. Open a part of it.",
          );
        }
        parts.push(chunk.slice());
      },
      end: () => {
        this.texts.set(name, textOf(parts));
        this.files.push({ name, bytes, use: "text" });
      },
    };
  }
}
