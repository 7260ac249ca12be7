// What is loaded when a folder is dropped.

export { folders } from "./opened";
export { filesIn } from "./read";
