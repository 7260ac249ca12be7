// Everything needed only after the first figure, in one download. Many small downloads that share
// modules would delay the first figure more than they save.

export { ResultCheck } from "../../export/ResultCheck";
export { Caption } from "../../keep/Caption";
export { openFile } from "../../keep/open-file";
export { Dialogs } from "./Dialogs";
