/**
 * Props for a button that is sometimes disabled. The browser takes the focus from a button that
 * becomes `disabled`, so a keyboard user would start again at the top of the page. These props use
 * `aria-disabled` instead, and the button keeps the focus.
 */
export const actsWhen = (canAct: boolean, act: () => void) => ({
  "aria-disabled": !canAct,
  onClick: canAct ? act : undefined,
});
