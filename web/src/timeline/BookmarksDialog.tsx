import { bookmarkHere } from "../app/bookmarks";
import { useWorkbench, useWorkbenchState } from "../app/context";
import type { Bookmark } from "../app/store";
import { clock, count } from "../engine/format";
import { Dialog } from "../ui/dialog";

/** All bookmarks, each with its note. */
export function BookmarksDialog({ close }: { close: () => void }) {
  const workbench = useWorkbench();
  const bookmarks = useWorkbenchState((state) => state.bookmarks);
  const step = useWorkbenchState((state) => state.session?.frame?.view.position.step);
  const isHere = bookmarks.some((bookmark) => bookmark.step === step);
  return (
    <Dialog title="Bookmarks" close={close}>
      <p className="else">
        {bookmarks.length === 0
          ? "Bookmarks you add are listed here, each with a note. Links include them."
          : "Links include bookmarks and their notes."}
      </p>
      <ul className="bookmarks">
        {bookmarks.map((bookmark) => (
          <Item key={bookmark.step} bookmark={bookmark} close={close} />
        ))}
      </ul>
      <div className="actions">
        <button type="button" className="btn solid" onClick={() => bookmarkHere(workbench)}>
          {isHere ? "Remove the bookmark here" : "Bookmark this moment"}
        </button>
      </div>
    </Dialog>
  );
}

/** Longest note of a bookmark; links take no longer one. */
const MOST_NOTE = 500;

function Item({ bookmark, close }: { bookmark: Bookmark; close: () => void }) {
  const workbench = useWorkbench();
  const { step, time_ns, note } = bookmark;
  const all = () => workbench.store.getState().bookmarks;
  const where = `${clock(time_ns)} s`;
  return (
    <li>
      <button
        type="button"
        className="btn line"
        aria-label={`Go to ${where}, step ${count(step)}`}
        onClick={() => {
          workbench.transport.seek({ kind: "step", step });
          close();
        }}
      >
        {where} <span className="dim">#{count(step)}</span>
      </button>
      <input
        className="field"
        aria-label={`Note at ${where}`}
        placeholder="note"
        maxLength={MOST_NOTE}
        value={note}
        onChange={({ currentTarget: { value } }) =>
          workbench.keep({
            bookmarks: all().map((one) => (one.step === step ? { ...one, note: value } : one)),
          })
        }
      />
      <button
        type="button"
        className="btn"
        aria-label={`Remove the bookmark at ${where}`}
        onClick={() => workbench.keep({ bookmarks: all().filter((one) => one.step !== step) })}
      >
        Remove
      </button>
    </li>
  );
}
