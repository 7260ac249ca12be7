import { useWorkbenchState } from "../../app/context";
import type { Moment, StorySpan } from "../../story/telling";
import { Swatch } from "../../ui/swatch";

/** A moment's sentence: numbers are bold, page states have their colour, tasks their present
 * name. */
export function MomentSentence({ moment }: { moment: Pick<Moment, "sentence"> }) {
  return (
    <>
      {moment.sentence.map((span, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a sentence is replaced as a whole
        <SpanText key={i} span={span} />
      ))}
    </>
  );
}

function SpanText({ span }: { span: StorySpan }) {
  switch (span.kind) {
    case "number":
      return <b>{span.text}</b>;
    case "task":
      return <TaskName id={span.id} otherwise={span.text} />;
    case "state":
      return (
        <span className="story-state">
          <Swatch token={span.token} />
          {span.text}
        </span>
      );
    default:
      return <>{span.text}</>;
  }
}

/** The name of a task; a sentence that was read ahead may contain a task that has no name yet. */
export function TaskName({ id, otherwise }: { id: number; otherwise: string }) {
  const name = useWorkbenchState(
    (state) => state.session?.frame?.view.tasks.find((task) => task.id === id)?.name,
  );
  return <>{name ?? otherwise}</>;
}
