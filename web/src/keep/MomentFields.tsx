import { useId } from "react";
import { useWorkbench, useWorkbenchState } from "../app/context";
import { count } from "../engine/format";

/** Most characters of a title and of a note; links allow no more. */
const MOST = { title: 120, note: 2000 } as const;
/** The number of characters left is shown from here on. */
const FEW = 200;

/** A person's title and note for this moment; saved with every character typed. */
export function MomentFields() {
  const workbench = useWorkbench();
  const title = useWorkbenchState((state) => state.title);
  const note = useWorkbenchState((state) => state.note);
  const left = useId();
  return (
    <div className="moment-fields">
      <label className="stacked">
        Title
        <input
          className="field moment-words"
          maxLength={MOST.title}
          value={title}
          placeholder="What this moment shows"
          onChange={(event) => workbench.keep({ title: event.currentTarget.value })}
        />
      </label>
      <label className="stacked">
        Note
        <textarea
          className="field moment-words"
          rows={3}
          maxLength={MOST.note}
          value={note}
          placeholder="What to look at, and why"
          aria-describedby={left}
          onChange={(event) => workbench.keep({ note: event.currentTarget.value })}
        />
      </label>
      <p id={left} className="cap" role="status">
        {MOST.note - note.length < FEW &&
          `${count(MOST.note - note.length)} of ${count(MOST.note)} characters left`}
      </p>
    </div>
  );
}
