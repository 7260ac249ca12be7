// The worker's side: reads the files of one machine and answers questions about it.

import type { CaptureCalls } from "./answers";
import type { Intake } from "./intake";
import { Moments } from "./moments";
import { firstTrace, machineOf, type ReadProgress, takeIn } from "./open";
import type { CaptureAnswer, CaptureEvent, CaptureQuestion, CaptureRequest } from "./protocol";

/** Shortest time between two reports of progress, ms. */
const TELL_EVERY_MS = 50;

/** The worker's state for one machine. */
export class CaptureHost {
  readonly #calls: CaptureCalls;
  readonly #tell: (event: CaptureEvent) => void;
  #intake: Intake | null = null;
  #moments: Moments | null = null;

  constructor(calls: CaptureCalls, tell: (event: CaptureEvent) => void) {
    this.#calls = calls;
    this.#tell = tell;
  }

  /** Handles a message of the page. */
  async hear(request: CaptureRequest): Promise<void> {
    try {
      if (request.kind === "open") {
        this.#intake = await takeIn(request.files, this.#calls, sometimes(this.#tell));
        this.#show(firstTrace(this.#intake.traces)?.name ?? null);
      } else if (request.kind === "trace") this.#show(request.name);
      else this.#answer(request.id, request.question);
    } catch (error) {
      this.#tell({ kind: "broke", message: wordsOf(error) });
    }
  }

  #show(name: string | null) {
    const intake = this.#intake;
    if (!intake) return;
    const trace = intake.traces.find((one) => one.name === name) ?? null;
    const machine = machineOf(intake, this.#calls, trace);
    this.#moments = new Moments(machine, trace?.source ?? null);
    this.#tell({ kind: "opened", machine });
  }

  #answer(id: number, question: CaptureQuestion) {
    const moments = this.#moments;
    if (!moments) return this.#tell({ kind: "failed", id, message: "No machine is open." });
    try {
      this.#tell({ kind: "answer", id, answer: answered(moments, question) });
    } catch (error) {
      this.#tell({ kind: "failed", id, message: wordsOf(error) });
    }
  }
}

const answered = (moments: Moments, question: CaptureQuestion): CaptureAnswer =>
  question.kind === "log"
    ? moments.answer(question.act)
    : { kind: "at", values: moments.at(question.place) };

const wordsOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** Reports progress, but not for every chunk. */
function sometimes(tell: (event: CaptureEvent) => void): (progress: ReadProgress) => void {
  let last = 0;
  return (progress) => {
    const now = performance.now();
    if (now - last < TELL_EVERY_MS && progress.read < progress.total) return;
    last = now;
    tell({ kind: "progress", progress });
  };
}
