// Questions with exactly one answer.

import type { Engine } from "./pkg/mmscope";
import { type Answer, type Question, unreachable } from "./protocol";

/** Answers a question about the experiment in a slot, without moving it. */
export function answerTo(engine: Engine, slot: number, question: Question): Answer {
  switch (question.kind) {
    case "hash": {
      const { position } = engine.view(slot, undefined);
      return { kind: "hash", hash: engine.hash(slot), position };
    }
    case "procfs":
      return { kind: "procfs", text: engine.procfs(slot, question.file) };
    case "mechanisms":
      return { kind: "mechanisms", mechanisms: engine.mechanisms(question.kernel) };
    case "import":
      return {
        kind: "import",
        json: engine.import_zoneinfo(question.text, question.options_json),
      };
    default:
      return unreachable(question);
  }
}
