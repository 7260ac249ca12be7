// The engine reads one log at a time. This module lets several readers take turns: an interrupted
// reader resumes at the step it had reached, and does not notice the others.

import type { LogAct, LogAnswer } from "./log";

/** Requests a slice of a log. */
export type AskLog = (act: LogAct) => Promise<LogAnswer>;

type Begin = Extract<LogAct, { kind: "begin" | "sample" | "program" }>;

/** The rest of a range that was read up to a step. */
function restOf(begin: Begin, at: number): Begin {
  if (at < begin.from) return begin;
  if (begin.kind !== "sample") return { ...begin, from: at };
  // The next moment to read; the moment at the last step read was already returned.
  const due = begin.from + (Math.floor((at - begin.from) / begin.every) + 1) * begin.every;
  return { ...begin, from: Math.min(due, begin.to) };
}

const NOTHING_READ: LogAnswer = {
  kind: "log",
  at: 0,
  isDone: true,
  isWhole: true,
  rows: new Float64Array(),
};

/** Hands out readers of one engine's log. */
export class LogTurns {
  readonly #ask: AskLog;
  #holder: AskLog | null = null;

  constructor(ask: AskLog) {
    this.#ask = ask;
  }

  /** A new reader. */
  reader(): AskLog {
    let rest: Begin | null = null;
    const read: AskLog = async (act) => {
      const isMine = this.#holder === read;
      if (act.kind === "end") {
        // The log belongs to another reader, so it stays open.
        if (!isMine) return NOTHING_READ;
        this.#holder = null;
        return this.#ask(act);
      }
      if (act.kind !== "more") rest = act;
      this.#holder = read;
      const looked = rest;
      const answer = await this.#ask(isMine ? act : (rest ?? act));
      // Does nothing if another search began meanwhile.
      if (looked && rest === looked) rest = restOf(looked, answer.at);
      return answer;
    };
    return read;
  }
}
