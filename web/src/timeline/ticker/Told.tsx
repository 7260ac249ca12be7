import { useWorkbenchState } from "../../app/context";
import type { Moment, StorySpan } from "../../story/telling";
import { Swatch } from "../../ui/swatch";

/** A moment's sentence: numbers are bold, page states have their hue, tasks their name of now. */
export function Told({ moment }: { moment: Pick<Moment, "sentence"> }) {
  return (
    <>
      {moment.sentence.map((span, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a sentence is replaced as a whole
        <Part key={i} span={span} />
      ))}
    </>
  );
}

function Part({ span }: { span: StorySpan }) {
  switch (span.kind) {
    case "number":
      return <b>{span.text}</b>;
    case "task":
      return <TaskName id={span.id} otherwise={span.text} />;
    case "state":
      return (
        <span className="told-state">
          <Swatch token={span.token} />
          {span.text}
        </span>
      );
    default:
      return <>{span.text}</>;
  }
}

/** What was read ahead may name a task that did not have its name yet. */
export function TaskName({ id, otherwise }: { id: number; otherwise: string }) {
  const name = useWorkbenchState(
    (state) => state.session?.frame?.view.tasks.find((task) => task.id === id)?.name,
  );
  return <>{name ?? otherwise}</>;
}
