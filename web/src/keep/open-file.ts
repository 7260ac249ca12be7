// Opens a file that the user chose or dropped: a moment, an experiment, or a library.

import type { Workbench } from "../app/controller";
import { areOfMachine } from "../engine/capture/names";
import type { Refusal } from "../engine/types";
import type { LinkRefusal, Presets } from "../link/link";
import { decoded } from "./decoded";
import {
  type FileContents,
  linesOf,
  MOST_FILE_BYTES,
  readFile,
  type SavedLink,
  tooLarge,
} from "./file";
import { Library } from "./library";
import { OPEN_FILE } from "./words";

/** Imports a library's file and reports the result. */
export type TakeIn = (moments: readonly SavedLink[], faults: readonly string[]) => Promise<unknown>;

/**
 * Opens a file. An error message names the field and the line, and the open moment stays. A
 * library's file is imported instead.
 */
export async function openFile(workbench: Workbench, file: File, takeIn?: TakeIn): Promise<void> {
  const { engine } = workbench.store.getState();
  if (engine.kind !== "ready") {
    return workbench.tell(OPEN_FILE.loading);
  }
  const { text, contents } = await contentsOf(file, engine.presets);
  if (contents.kind === "library") {
    const { moments, faults } = contents;
    if (takeIn) await takeIn(moments, faults);
    else await takeInQuietly(workbench, engine.presets, moments, faults);
    return;
  }
  workbench.closeDialog();
  if (contents.kind === "refused") refuse(workbench, file.name, contents);
  else await open(workbench, file.name, text, contents);
}

/** Imports a library from a page that does not show the library. */
async function takeInQuietly(
  workbench: Workbench,
  presets: Presets,
  ...read: Parameters<TakeIn>
): Promise<void> {
  const library = new Library(presets);
  await library.read();
  await library.merge(...read);
  workbench.closeDialog();
  workbench.tell(library.store.getState().message);
  library.dispose();
}

/** Reads and checks a file. */
async function contentsOf(
  file: File,
  presets: Presets,
): Promise<{ text: string; contents: FileContents }> {
  if (areOfMachine([file.name])) {
    const detail = OPEN_FILE.trace;
    return { text: "", contents: { kind: "refused", why: "not-ours", detail } };
  }
  if (file.size > MOST_FILE_BYTES) {
    return { text: "", contents: tooLarge(file.size, MOST_FILE_BYTES) };
  }
  try {
    const text = decoded(await file.arrayBuffer());
    return { text, contents: readFile(text, presets) };
  } catch {
    const detail = OPEN_FILE.unreadable;
    return { text: "", contents: { kind: "refused", why: "not-ours", detail } };
  }
}

async function open(
  workbench: Workbench,
  name: string,
  text: string,
  { link, inside }: Extract<FileContents, { kind: "moment" }>,
): Promise<void> {
  const refusals = await workbench.bring(link, "file");
  if (refusals.length === 0) return;
  const lineOf = linesOf(text);
  const placed = refusals.map(({ path, reason }): Refusal => {
    const whole = [inside, path].filter(Boolean).join(".");
    return { path, reason: `${lineOf(whole)}${reason}` };
  });
  refuse(workbench, name, { why: "invalid", detail: "" }, placed);
}

function refuse(
  workbench: Workbench,
  name: string,
  { why, detail }: { readonly why: LinkRefusal; readonly detail: string },
  refusals: readonly Refusal[] = [],
): void {
  const words = `${name}${detail ? `. ${detail}` : ""}`;
  workbench.refuse({ source: "file", why, detail: words, refusals, nearest: null });
}
