// The machine whose files are open. Files that cannot be read do not replace the open machine.

import { createStore, type StoreApi } from "zustand/vanilla";
import type { TextRefusal } from "../../engine/capture/answers";
import { CaptureClient } from "../../engine/capture/client";
import type { Machine, ReadProgress } from "../../engine/capture/open";
import { forgetFiles, type StorageResult, storedFiles, storeFiles } from "./stored-files";
import { OPENED } from "./words";

/** An open machine and the worker that holds it. */
export interface OpenMachine {
  readonly machine: Machine;
  readonly client: CaptureClient;
}

/** The results of opening files. */
interface MachinesState {
  readonly opened: OpenMachine | null;
  /** Files are being read. */
  readonly reading: { readonly names: string; readonly progress: ReadProgress | null } | null;
  /** The reason why the last files were not opened. */
  readonly refused: { readonly names: string; readonly refusals: readonly TextRefusal[] } | null;
  /** Whether a reload opens the machine again. */
  readonly storage: StorageResult | null;
}

/** Is there content to show? */
const isEmpty = ({ trace, capture, statics, explanation, counters }: Machine): boolean =>
  !(trace && trace.info.events > 0) &&
  !capture &&
  !statics &&
  !(explanation && explanation.documents.length > 0) &&
  counters.length === 0;

const NOTHING_FOUND: TextRefusal = {
  file: "",
  line: null,
  reason: OPENED.nothing,
};

/** Opens files; only the last request counts. */
export class Machines {
  readonly store: StoreApi<MachinesState> = createStore<MachinesState>(() => ({
    opened: null,
    reading: null,
    refused: null,
    storage: null,
  }));
  #stop: AbortController | null = null;
  readonly #open: typeof CaptureClient.open;

  constructor(open: typeof CaptureClient.open = (...asked) => CaptureClient.open(...asked)) {
    this.#open = open;
  }

  /** Reads files. The open machine stays until the files have been read. */
  async open(files: readonly File[], isStored = false): Promise<void> {
    if (files.length === 0) return;
    this.cancel();
    const stop = new AbortController();
    this.#stop = stop;
    const names = wordsFor(files);
    this.store.setState({ reading: { names, progress: null }, refused: null });
    const tell = (progress: ReadProgress) => {
      if (!stop.signal.aborted) this.store.setState({ reading: { names, progress } });
    };
    try {
      const opened = await this.#open(files, tell, stop.signal);
      if (stop.signal.aborted) return opened.client.dispose();
      this.#settle(names, opened);
    } catch (error) {
      if (stop.signal.aborted) return;
      const reason = error instanceof Error ? error.message : String(error);
      this.#refuse(names, [{ file: names, line: null, reason }]);
      return;
    }
    if (isStored) this.store.setState({ storage: "kept" });
    else if (this.store.getState().refused === null) {
      this.store.setState({ storage: await storeFiles(files) });
    }
  }

  /** Opens the machine that this tab had open before a reload. */
  async resume(): Promise<void> {
    const { opened, reading } = this.store.getState();
    if (opened || reading) return;
    const files = await storedFiles();
    if (files && !this.store.getState().reading) await this.open(files, true);
  }

  /** Stops reading; the open machine stays. */
  cancel(): void {
    this.#stop?.abort();
    this.#stop = null;
    this.store.setState({ reading: null });
  }

  /** Closes the open machine. */
  close(): void {
    this.cancel();
    this.store.getState().opened?.client.dispose();
    this.store.setState({ opened: null, refused: null, storage: null });
    forgetFiles();
  }

  /** Shows another trace of the files. */
  async show(name: string): Promise<void> {
    const { opened } = this.store.getState();
    if (!opened) return;
    const machine = await opened.client.show(name);
    if (this.store.getState().opened?.client === opened.client) {
      this.store.setState({ opened: { ...opened, machine } });
    }
  }

  #settle(names: string, next: OpenMachine) {
    if (isEmpty(next.machine)) {
      next.client.dispose();
      const { refusals } = next.machine;
      return this.#refuse(names, refusals.length > 0 ? refusals : [NOTHING_FOUND]);
    }
    this.store.getState().opened?.client.dispose();
    this.store.setState({ opened: next, reading: null, refused: null, storage: null });
  }

  #refuse(names: string, refusals: readonly TextRefusal[]) {
    this.store.setState({ reading: null, refused: { names, refusals } });
  }
}

/** A short description of the files. */
function wordsFor(files: readonly File[]): string {
  const [first] = files;
  const [folder] = (first?.webkitRelativePath || "").split("/");
  if (folder) return folder;
  return files.length === 1 ? (first?.name ?? "") : OPENED.andMore(first?.name, files.length - 1);
}

/** The machine of this tab. */
export const machines = new Machines();
