// The npm package: one module for a plain page, a frame, and an anywidget in Jupyter and MyST.

import { render } from "./anywidget";

export type { Control, Experiment, Moment, Mounted, Options, State } from "./api";
export { mount } from "./host";
export { serve } from "./messages";
/** An anywidget takes the default export; it warns about a named export `render`. */
export default { render };
