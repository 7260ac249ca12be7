import { type KeyboardEvent, useState } from "react";
import { useWorkbench } from "../app/context";
import { clock, count } from "../engine/format";
import type { Link } from "../link/link";
import { Icon } from "../ui/icons";
import type { Entry } from "./database";
import type { Library } from "./library";
import { MOMENT_ROW } from "./words";

/** One moment of the library, with its actions. */
export function MomentRow({ entry, library }: { entry: Entry; library: Library }) {
  const workbench = useWorkbench();
  const [isRenaming, setRenaming] = useState(false);
  const link = library.linkOf(entry);
  const experiment = link ? experimentWords(link) : "";
  const name = link ? link.title || experiment : MOMENT_ROW.unreadable;
  const open = async () => {
    if (!link) return;
    workbench.closeDialog();
    const refusals = await workbench.bring(link, "library");
    if (refusals.length === 0) return;
    workbench.refuse({ source: "library", why: "invalid", detail: name, refusals, nearest: null });
  };
  if (isRenaming && link) {
    return (
      <li>
        <Rename
          title={link.title}
          end={(title) => {
            setRenaming(false);
            if (title !== null) void library.rename(entry, title);
          }}
        />
      </li>
    );
  }
  return (
    <li>
      <div className="what">
        <b>{name}</b>
        <small>
          {link?.title && `${experiment} · `}
          {link && momentWords(link)} · {dateWords(entry.saved_ms)}
        </small>
      </div>
      <div className="does">
        <button
          type="button"
          className="btn line"
          aria-label={MOMENT_ROW.openLabel(name)}
          disabled={!link}
          onClick={() => void open()}
        >
          {MOMENT_ROW.open}
        </button>
        <button
          type="button"
          className="btn"
          aria-label={MOMENT_ROW.renameLabel(name)}
          disabled={!link}
          onClick={() => setRenaming(true)}
        >
          {MOMENT_ROW.rename}
        </button>
        <button
          type="button"
          className="btn icon"
          aria-label={MOMENT_ROW.deleteLabel(name)}
          title={MOMENT_ROW.deleteWords}
          onClick={() => void library.remove(entry)}
        >
          <Icon name="cross" />
        </button>
      </div>
    </li>
  );
}

/** The field that changes a title; null if the title is not being changed. */
function Rename({ title, end }: { title: string; end: (title: string | null) => void }) {
  const [text, setText] = useState(title);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    // Escape ends the renaming, not the dialog.
    event.preventDefault();
    event.stopPropagation();
    end(null);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        end(text.trim());
      }}
    >
      <input
        className="field moment-words"
        aria-label={MOMENT_ROW.title}
        maxLength={120}
        value={text}
        // biome-ignore lint/a11y/noAutofocus: it replaces the button that was pressed
        autoFocus
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <button type="submit" className="btn solid">
        {MOMENT_ROW.rename}
      </button>
      <button type="button" className="btn" onClick={() => end(null)}>
        {MOMENT_ROW.cancel}
      </button>
    </form>
  );
}

/** "First touch, kernel 3.0": the experiment's own title. */
function experimentWords({ experiment }: Link): string {
  const { title, id, kernel } = JSON.parse(experiment) as Record<string, unknown>;
  const isName = (word: unknown) => typeof word === "string" && word !== "";
  const name = [title, id].find(isName) as string | undefined;
  const words = name ?? MOMENT_ROW.experiment;
  return typeof kernel === "string" ? MOMENT_ROW.withKernel(words, kernel) : words;
}

const momentWords = ({ cursor }: Link): string =>
  cursor ? `#${count(cursor.step)}, ${clock(cursor.time_ns)} s` : MOMENT_ROW.atItsStart;

/** The time at which it was saved, in the date format of the user's browser. */
const dateWords = (saved_ms: number): string =>
  new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" }).format(saved_ms);
