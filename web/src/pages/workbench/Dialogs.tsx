import "../../timeline/dialogs.css";
import { useWorkbench } from "../../app/context";
import type { DialogName } from "../../app/store";
import { unreachable } from "../../engine/protocol";
import { DisturbDialog } from "../../experiment/DisturbDialog";
import { ExperimentDialog } from "../../experiment/ExperimentDialog";
import { ImportDialog } from "../../experiment/ImportDialog";
import { ShrinkDialog } from "../../experiment/shrink/ShrinkDialog";
import { ProcDialog } from "../../export/ProcDialog";
import { ShareDialog } from "../../export/ShareDialog";
import { LibraryDialog } from "../../keep/LibraryDialog";
import { BookmarksDialog } from "../../timeline/BookmarksDialog";
import { PaidDialog } from "../../timeline/paid/PaidDialog";
import { RangeDialog } from "../../timeline/RangeDialog";
import { TableDialog } from "../../timeline/TableDialog";
import { TracksDialog } from "../../timeline/TracksDialog";
import { GotoDialog } from "./GotoDialog";
import { HelpDialog } from "./HelpDialog";
import { MenuDialog } from "./MenuDialog";

/** The open dialog; the code of dialogs is loaded with the first one. */
export function Dialogs({ name }: { name: DialogName }) {
  const workbench = useWorkbench();
  const close = () => workbench.closeDialog();
  switch (name) {
    case "experiment":
      return <ExperimentDialog close={close} />;
    case "menu":
      return <MenuDialog close={close} />;
    case "help":
      return <HelpDialog close={close} />;
    case "share":
      return <ShareDialog close={close} />;
    case "saved":
      return <LibraryDialog close={close} />;
    case "procfs":
      return <ProcDialog close={close} />;
    case "import":
      return <ImportDialog close={close} />;
    case "goto":
      return <GotoDialog close={close} />;
    case "tracks":
      return <TracksDialog close={close} />;
    case "bookmarks":
      return <BookmarksDialog close={close} />;
    case "range":
      return <RangeDialog close={close} />;
    case "paid":
      return <PaidDialog close={close} />;
    case "shrink":
      return <ShrinkDialog close={close} />;
    case "table":
      return <TableDialog close={close} />;
    case "disturb":
      return <DisturbDialog close={close} />;
    default:
      return unreachable(name);
  }
}
