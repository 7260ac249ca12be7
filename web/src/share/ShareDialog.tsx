import { useEffect, useState } from "react";
import { addressOf } from "../link/router";
import { CopyButton } from "../ui/copy";
import { Dialog } from "../ui/dialog";
import { useWorkbench, useWorkbenchState } from "../workbench/context";
import { positionWords } from "../workbench/goals";

/** The link to this moment. */
export function ShareDialog({ close }: { close: () => void }) {
  const workbench = useWorkbench();
  const frame = useWorkbenchState((state) => state.session?.frame ?? null);
  const [packed, setPacked] = useState<string | null>(null);
  useEffect(() => {
    let isOpen = true;
    workbench.pause();
    // A running machine stops first; the link is of the moment it then stands at.
    const poll = async () => {
      const link = await workbench.save();
      if (!isOpen) return;
      if (link) setPacked(link);
      else setTimeout(poll, 50);
    };
    void poll();
    return () => {
      isOpen = false;
    };
  }, [workbench]);
  const address = packed ? addressOf({ page: "workbench", x: packed }) : "";
  return (
    <Dialog title="Share this moment" close={close}>
      <p>
        Whoever opens this link sees the same experiment
        {frame && <> at {positionWords(frame)}</>}. It carries everything itself: nothing is stored
        on a server.
      </p>
      <input
        id="share-link"
        className="field"
        readOnly
        aria-label="Link"
        value={address}
        onFocus={(event) => event.currentTarget.select()}
      />
      <CopyButton text={address} source="share-link" label="Copy the link" />
    </Dialog>
  );
}
