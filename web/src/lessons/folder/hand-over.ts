// The modules that a dropped folder needs.

export { folders } from "./opened";
export { filesIn } from "./read";
