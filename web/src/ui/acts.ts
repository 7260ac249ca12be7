/**
 * What a button is given that may act only now and then. The browser takes the focus from a button
 * that becomes `disabled`, and who works by keyboard would begin anew at the top of the page: this
 * one says that it cannot act, and keeps the focus.
 */
export const actsWhen = (canAct: boolean, act: () => void) => ({
  "aria-disabled": !canAct,
  onClick: canAct ? act : undefined,
});
