// Options that the user adds to a dump, as text fields. This module converts them to the engine's
// options, or to error messages.
import { IMPORT_OPTIONS } from "./words";

/** The options as typed; the engine infers empty ones from the dump. */
export interface ImportOptions {
  readonly kernel: string;
  readonly arch: string;
  readonly listing: string;
  readonly page_size_kib: string;
  readonly min_free_kbytes: string;
  readonly watermark_scale_factor: string;
  readonly lowmem_reserve_ratio: string;
}

/** Name of an option. */
export type OptionName = keyof ImportOptions;

/** The options with every value inferred. */
export const NO_OPTIONS: ImportOptions = {
  kernel: "",
  arch: "",
  listing: "",
  page_size_kib: "",
  min_free_kbytes: "",
  watermark_scale_factor: "",
  lowmem_reserve_ratio: "",
};

/** The options as JSON for the engine, or the errors by option. */
export type ReadOptions =
  | { readonly json: string; readonly faults?: undefined }
  | { readonly json?: undefined; readonly faults: Partial<Record<OptionName, string>> };

const WHOLE = /^\d{1,15}$/;

/**
 * Reads the typed values; the user may write "67,584", and may leave in the "= " that sysctl
 * prints.
 */
export function readOptions(options: ImportOptions): ReadOptions {
  const json: Record<string, unknown> = {};
  const faults: Partial<Record<OptionName, string>> = {};
  if (options.kernel !== "") json.kernel = options.kernel;
  if (options.arch !== "") json.arch = options.arch;
  for (const name of [
    "listing",
    "page_size_kib",
    "min_free_kbytes",
    "watermark_scale_factor",
  ] as const) {
    const text = bare(options[name]).replaceAll(",", "");
    if (text === "") continue;
    if (WHOLE.test(text)) json[name] = Number(text);
    else faults[name] = IMPORT_OPTIONS.notWhole(text);
  }
  const words = bare(options.lowmem_reserve_ratio)
    .split(/[\s,]+/)
    .filter(Boolean);
  const odd = words.find((word) => !WHOLE.test(word));
  if (odd !== undefined) {
    faults.lowmem_reserve_ratio = IMPORT_OPTIONS.notWholeList(odd);
  } else if (words.length > 0) json.lowmem_reserve_ratio = words.map(Number);
  return Object.keys(faults).length > 0 ? { faults } : { json: JSON.stringify(json) };
}

/** A value without the name that sysctl prints before it. */
const bare = (text: string) => text.replace(/^[^=]*=/, "").trim();
