// A log in the same process, and all of its records of the given kinds.

import { catalog, type loadEngine } from "../../engine/loaded.test-support";
import { answerLog, type LogAct } from "../../engine/log";
import { kindsNamed, type Rec, type RecordName, recordsIn } from "../../engine/record";
import { EVERYTHING } from "../../log/keeper";
import type { SearchContext } from "./search";

/** Search parameters for the run that is open in an engine. */
export function lookingInto(engine: ReturnType<typeof loadEngine>): SearchContext {
  return {
    ask: async (act) => {
      const answer = answerLog(engine, 0, { kind: "log", act });
      if (!answer) throw new Error("no log is open");
      return answer;
    },
    kinds: catalog,
    signal: new AbortController().signal,
    tell: () => {},
  };
}

/** All records of these names up to a step. */
export async function recordsUpTo(
  { ask }: SearchContext,
  names: readonly RecordName[],
  to: number,
): Promise<Rec[]> {
  const all: Rec[] = [];
  const filter = { ...EVERYTHING, kinds: kindsNamed(catalog, names) };
  let act: LogAct = { kind: "begin", from: 0, to, filter };
  for (;;) {
    const answer = await ask(act);
    all.push(...recordsIn(answer.rows, catalog));
    if (answer.isDone) return all;
    act = { kind: "more" };
  }
}
