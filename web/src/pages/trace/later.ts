// The dialogs, which are loaded when one opens.

import "../../timeline/dialogs.css";

export { RangeDialog } from "../../timeline/RangeDialog";
export { TracksDialog } from "../../timeline/TracksDialog";
