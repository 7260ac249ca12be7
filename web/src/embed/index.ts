// The npm package: one module for a plain page, a frame, and an anywidget in Jupyter and MyST.

import { render } from "./anywidget";

export type { Control, Experiment, Moment, Mounted, Options, State } from "./api";
export { mount } from "./host";
export { serve } from "./messages";
export { render };
/** An anywidget takes the default export. */
export default { render };
