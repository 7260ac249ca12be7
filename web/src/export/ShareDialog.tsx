import "../keep/keep.css";
import { useEffect, useState } from "react";
import { useWorkbench, useWorkbenchState } from "../app/context";
import { positionWords } from "../app/goals";
import { OpenFileButton, SaveFileButton } from "../keep/FileButtons";
import { MomentFields } from "../keep/MomentFields";
import { MOST_OFFERED, mayBeLink } from "../link/link";
import { urlOf } from "../link/router";
import { CopyButton } from "../ui/copy";
import { Dialog } from "../ui/dialog";
import { RichText } from "../ui/rich-text";
import { EmbedPart } from "./EmbedPart";
import { Figures } from "./Figures";
import { ResultPart } from "./ResultPart";
import { SHARE_DIALOG } from "./words";

/** The link to this moment, and other ways to save and share it. */
export function ShareDialog({ close }: { close: () => void }) {
  const session = useWorkbenchState((state) => state.session);
  const frame = session?.frame ?? null;
  const packed = usePacked();
  const title = useWorkbenchState((state) => state.title);
  return (
    <Dialog title={SHARE_DIALOG.shareThisMoment} close={close}>
      <p>
        <RichText
          text={SHARE_DIALOG.about}
          parts={{ at: frame && ` ${SHARE_DIALOG.at(positionWords(frame))}` }}
        />
      </p>
      <MomentFields />
      <LinkRow packed={packed} />
      {session?.frame && <ResultPart session={session} />}
      <div className="keep-rows">
        <div className="keep-row">
          <span>{SHARE_DIALOG.asFile}</span>
          <div className="does">
            <SaveFileButton />
            <OpenFileButton />
          </div>
        </div>
        <StoredNote />
        {session && <Figures session={session} />}
      </div>
      {session && packed && isOffered(packed) && (
        <EmbedPart
          addressOf={(embed) => ({ page: "workbench", x: packed, embed })}
          title={title || session.info.title}
          hasControls
        />
      )}
    </Dialog>
  );
}

const isOffered = (packed: string) => mayBeLink(urlOf({ page: "workbench", x: packed }), packed);

/**
 * The packed link of the moment at which the machine is at rest, kept up to date while the user
 * types.
 */
function usePacked(): string | null {
  const workbench = useWorkbench();
  const [isAtRest, setAtRest] = useState(false);
  // The user's typing changes the link immediately; the rest of the link follows the store.
  useWorkbenchState((state) => state.title);
  useWorkbenchState((state) => state.note);
  useWorkbenchState((state) => state.result);
  useWorkbenchState((state) => state.packed);
  useEffect(() => {
    let isOpen = true;
    workbench.transport.pause();
    // A running machine stops first; the link points to the moment at which it stops.
    const poll = async () => {
      const link = await workbench.saving.now();
      if (!isOpen) return;
      if (link) setAtRest(true);
      else setTimeout(poll, 50);
    };
    void poll();
    return () => {
      isOpen = false;
    };
  }, [workbench]);
  // After a trap, only the last moment at which the machine was at rest is available.
  const isBroken = useWorkbenchState((state) => state.trap !== null);
  return isAtRest || isBroken ? workbench.saving.pack() : null;
}

function LinkRow({ packed }: { packed: string | null }) {
  const address = packed ? urlOf({ page: "workbench", x: packed }) : "";
  if (packed && !mayBeLink(address, packed)) {
    return (
      <p role="status" className="too-long">
        {SHARE_DIALOG.tooLong(address.length, MOST_OFFERED)}
      </p>
    );
  }
  return (
    <div className="link-row">
      <label htmlFor="share-link">{SHARE_DIALOG.link}</label>
      <input
        id="share-link"
        className="field"
        readOnly
        value={address}
        onFocus={(event) => event.currentTarget.select()}
      />
      <div className="copy">
        <CopyButton text={address} source="share-link" label={SHARE_DIALOG.copyLink} isFirst />
        <span className="length">{address && SHARE_DIALOG.length(address.length)}</span>
      </div>
    </div>
  );
}

/** The library, and the note on the page. */
function StoredNote() {
  const workbench = useWorkbench();
  const isCaptionOpen = useWorkbenchState((state) => state.isCaptionOpen);
  const hasWords = useWorkbenchState(({ title, note }) => title !== "" || note !== "");
  return (
    <>
      <div className="keep-row">
        <span>{SHARE_DIALOG.inThisBrowser}</span>
        <div className="does">
          <button
            type="button"
            className="btn line"
            aria-haspopup="dialog"
            onClick={() => workbench.showDialog("saved")}
          >
            {SHARE_DIALOG.savedMoments}
          </button>
        </div>
      </div>
      {hasWords && (
        <div className="keep-row">
          <span>{SHARE_DIALOG.titleAndNote}</span>
          <div className="does">
            <button
              type="button"
              className="btn line"
              onClick={() => {
                workbench.closeDialog();
                workbench.showCaption(!isCaptionOpen);
              }}
            >
              {isCaptionOpen ? SHARE_DIALOG.hideThemOnPage : SHARE_DIALOG.showThemOnPage}
            </button>
          </div>
        </div>
      )}
    </>
  );
}
