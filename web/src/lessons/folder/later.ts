// The modules that are loaded when a folder is opened.

export { checkFolder } from "./check";
export { judge } from "./judge";
