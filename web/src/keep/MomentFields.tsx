import { useId } from "react";
import { useWorkbench, useWorkbenchState } from "../app/context";
import { MOMENT_FIELDS } from "./words";

/** The maximum number of characters of a title and of a note, as in links. */
const MOST = { title: 120, note: 2000 } as const;
/** From this length on, the number of remaining characters is shown. */
const FEW = 200;

/** The user's title and note for this moment, saved with every typed character. */
export function MomentFields() {
  const workbench = useWorkbench();
  const title = useWorkbenchState((state) => state.title);
  const note = useWorkbenchState((state) => state.note);
  const left = useId();
  return (
    <div className="moment-fields">
      <label className="stacked">
        {MOMENT_FIELDS.title}
        <input
          className="field moment-words"
          maxLength={MOST.title}
          value={title}
          placeholder={MOMENT_FIELDS.titleHelp}
          onChange={(event) => workbench.keep({ title: event.currentTarget.value })}
        />
      </label>
      <label className="stacked">
        {MOMENT_FIELDS.note}
        <textarea
          className="field moment-words"
          rows={3}
          maxLength={MOST.note}
          value={note}
          placeholder={MOMENT_FIELDS.noteHelp}
          aria-describedby={left}
          onChange={(event) => workbench.keep({ note: event.currentTarget.value })}
        />
      </label>
      <p id={left} className="cap" role="status">
        {MOST.note - note.length < FEW &&
          MOMENT_FIELDS.charactersLeft(MOST.note - note.length, MOST.note)}
      </p>
    </div>
  );
}
