// Questions with exactly one answer.

import { answerLog } from "./log";
import type { Engine } from "./pkg/mmscope";
import { type Answer, type Question, unreachable } from "./protocol";

/** The second module: prints and imports the files of /proc, and prints traces. */
export type Procfs = Pick<
  typeof import("./pkg/mmscope_procfs"),
  "print_file" | "import_zoneinfo" | "print_ftrace"
>;

/** What questions are about. */
export interface Asked {
  readonly engine: Engine;
  readonly slot: number;
  /** The experiment in that slot, as canonical JSON. */
  readonly experiment: string;
  /** Loads the second module, at most once. */
  readonly procfs: () => Promise<Procfs>;
}

/**
 * Answers a question without moving the machine. An answer that needs the second module comes
 * later, about the moment it was asked at; its promise fails when that module does not load.
 */
export function answerTo(asked: Asked, question: Question): Answer | Promise<Answer> {
  const { engine, slot, experiment, procfs } = asked;
  switch (question.kind) {
    case "hash": {
      const { position } = engine.view(slot, undefined);
      return { kind: "hash", hash: engine.hash(slot), position };
    }
    case "memory":
      return { kind: "memory", checkpoint_bytes: engine.checkpoint_bytes(slot) };
    case "procfs": {
      const snapshot = engine.snapshot(slot);
      return procfs().then(({ print_file }) => ({
        kind: "procfs",
        text: print_file(question.file, experiment, snapshot),
      }));
    }
    case "import":
      return procfs().then(({ import_zoneinfo }) => ({
        kind: "import",
        json: import_zoneinfo(question.text, question.options_json),
      }));
    case "ftrace":
      return procfs().then(({ print_ftrace }) => ({
        kind: "ftrace",
        text: print_ftrace(question.kernel, question.events_json),
      }));
    case "log":
      return (
        answerLog(engine, slot, question) ?? {
          kind: "failed",
          message: "another experiment was opened",
        }
      );
    default:
      return unreachable(question);
  }
}
