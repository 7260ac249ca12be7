// All that is wanted only after the first figure, as one download: many small ones that share
// modules would cost the first figure more than they save.

export { Caption } from "../../keep/Caption";
export { openFile } from "../../keep/open-file";
export { Dialogs } from "./Dialogs";
