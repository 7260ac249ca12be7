// The biography of a page frame: the engine's records of it, as sentences.

import {
  kindOf,
  type Rec,
  type RecordName,
  type Rows,
  readRecord,
  type Value,
  valuesByName,
} from "../../engine/record";
import { sentenceOf, taskName, valueText, type Words } from "../../engine/sentence";
import type { Span } from "../../engine/types";
import { Pieces, SENTENCES } from "./life-words";

/** An event or decision about a frame. */
interface LifeEvent {
  /** The step right after it. */
  readonly step: number;
  readonly time_ns: number;
  readonly task: number;
  readonly taskName: string;
  /** The name of the event or decision. */
  readonly name: string;
  /** Whether it is a decision about the frame instead of an event. */
  readonly isDecision: boolean;
  readonly spans: readonly Span[];
}

/** The events of one step, by one task. */
export interface LifeStep {
  readonly step: number;
  readonly time_ns: number;
  readonly task: number;
  readonly taskName: string;
  readonly events: readonly LifeEvent[];
}

/** The names of events that have a sentence. */
export const TOLD: ReadonlySet<string> = new Set(Object.keys(SENTENCES));

/** A record as a sentence; if it has no sentence, its name and fields. */
function spansOf(record: Rec, words: Words): Span[] {
  const decided = sentenceOf(record, words);
  if (decided) return decided;
  // The name determines the sentence and the types of its values.
  const say = SENTENCES[record.name] as ((values: unknown, p: Pieces) => Span[]) | undefined;
  if (say) return say(record.values, new Pieces(record, words));
  const { name, fields } = kindOf(words.catalog, record.kind);
  const values: Readonly<Record<string, Value | undefined>> = valuesByName(record);
  const event = fields.map(
    (field) => `${field.name} ${valueText(words, field.kind, values[field.name] ?? null)}`,
  );
  return [{ kind: "text", text: `${name}: ${event.join(", ")}` }];
}

/** A record as an entry of the biography. */
function tell(record: Rec, words: Words): LifeEvent {
  const { step, time_ns, task, name, kind } = record;
  return {
    step,
    time_ns,
    task,
    taskName: taskName(words, task),
    name,
    isDecision: kindOf(words.catalog, kind).kind === "decision",
    spans: spansOf(record, words),
  };
}

/** Decisions that an event repeats. */
const RESTATED: ReadonlySet<string> = new Set<RecordName>(["Split"]);

/** The steps of a frame's life in the rows of a log, up to a step, oldest first. */
export function lifeOf(rows: Rows, words: Words, until: number): LifeStep[] {
  const steps: (LifeStep & { events: LifeEvent[] })[] = [];
  for (let i = 0; i < rows.count && rows.step(i) <= until; i += 1) {
    const record = readRecord(words.catalog, rows.row(i));
    if (RESTATED.has(record.name)) continue;
    const event = tell(record, words);
    const { step, time_ns, task, taskName: by } = event;
    const last = steps.at(-1);
    if (last?.step === step) last.events.push(event);
    else steps.push({ step, time_ns, task, taskName: by, events: [event] });
  }
  return steps;
}

/** How often the frame was allocated and freed. */
export function turnsOf(life: readonly LifeStep[]): { allocated: number; freed: number } {
  const events = life.flatMap((step) => step.events);
  const times = (event: string) => events.filter(({ name }) => name === event).length;
  return { allocated: times("mm_page_alloc"), freed: times("mm_page_free") };
}
