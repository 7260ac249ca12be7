// Questions with exactly one answer.

import { evidenceOf } from "../evidence";
import { answerLog } from "../log";
import { answerPaid } from "../paid";
import type { Engine } from "../pkg/mmscope";
import { type Answer, type Question, unreachable } from "../protocol";
import type { Reader } from "../reader";

/** The dependencies for answering questions. */
export interface Asked {
  readonly engine: Engine;
  readonly slot: number;
  /** Calls a function that works on texts alone. */
  readonly call: Reader["call"];
}

const ANOTHER_OPENED = { kind: "failed", message: "another experiment was opened" } as const;

/**
 * Answers a question without moving the machine. An answer about a text comes later; its promise
 * rejects if the reader breaks.
 */
export function answerTo(asked: Asked, question: Question): Answer | Promise<Answer> {
  const { engine, slot, call } = asked;
  switch (question.kind) {
    case "hash": {
      const { position } = engine.view(slot, undefined);
      return { kind: "hash", hash: engine.hash(slot), position };
    }
    case "evidence":
      return { kind: "evidence", ...evidenceOf(engine, slot) };
    case "memory":
      return { kind: "memory", checkpoint_bytes: engine.checkpoint_bytes(slot) };
    case "procfs":
      return { kind: "procfs", text: engine.print_file(slot, question.file) };
    case "group-file": {
      const { group, file } = question;
      return { kind: "group-file", text: engine.print_group_file(slot, group, file) };
    }
    case "free-blocks":
      return { kind: "free-blocks", rows: engine.free_blocks(slot, question.zone) };
    case "nearness":
      return { kind: "nearness", rows: engine.nearness(slot) };
    case "import":
      return call("import_zoneinfo", question.text, question.options_json).then((json) => ({
        kind: "import",
        json,
      }));
    case "explain":
      return call("explain_machine", question.files_json).then((json) => ({
        kind: "explain",
        json,
      }));
    case "ftrace":
      return call("print_ftrace", question.kernel, question.events_json).then((text) => ({
        kind: "ftrace",
        text,
      }));
    case "log":
      return answerLog(engine, slot, question) ?? ANOTHER_OPENED;
    case "paid":
      return answerPaid(engine, slot, question) ?? ANOTHER_OPENED;
    default:
      return unreachable(question);
  }
}
