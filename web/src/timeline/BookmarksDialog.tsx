import { bookmarkHere } from "../app/bookmarks";
import { useWorkbench, useWorkbenchState } from "../app/context";
import type { Bookmark } from "../app/store";
import { clock, count } from "../engine/format";
import { Dialog } from "../ui/dialog";
import { BOOKMARKS } from "./words";

/** All bookmarks, each with its note. */
export function BookmarksDialog({ close }: { close: () => void }) {
  const workbench = useWorkbench();
  const bookmarks = useWorkbenchState((state) => state.bookmarks);
  const step = useWorkbenchState((state) => state.session?.frame?.view.position.step);
  const isHere = bookmarks.some((bookmark) => bookmark.step === step);
  return (
    <Dialog title={BOOKMARKS.title} close={close}>
      <p className="else">{bookmarks.length === 0 ? BOOKMARKS.none : BOOKMARKS.some}</p>
      <ul className="bookmarks">
        {bookmarks.map((bookmark) => (
          <Item key={bookmark.step} bookmark={bookmark} close={close} />
        ))}
      </ul>
      <div className="actions">
        <button type="button" className="btn solid" onClick={() => bookmarkHere(workbench)}>
          {isHere ? BOOKMARKS.removeHere : BOOKMARKS.add}
        </button>
      </div>
    </Dialog>
  );
}

/** The maximum length of a bookmark's note, which links accept. */
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
        aria-label={BOOKMARKS.goTo(where, step)}
        onClick={() => {
          workbench.transport.seek({ kind: "step", step });
          close();
        }}
      >
        {where} <span className="dim">#{count(step)}</span>
      </button>
      <input
        className="field"
        aria-label={BOOKMARKS.noteAt(where)}
        placeholder={BOOKMARKS.note}
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
        aria-label={BOOKMARKS.removeAt(where)}
        onClick={() => workbench.keep({ bookmarks: all().filter((one) => one.step !== step) })}
      >
        {BOOKMARKS.remove}
      </button>
    </li>
  );
}
