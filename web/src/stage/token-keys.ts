// One tab stop for many tokens; arrow keys move from one to the next.

import {
  type FocusEvent,
  type KeyboardEvent,
  type RefObject,
  useLayoutEffect,
  useRef,
  useState,
} from "react";

const ALL = "[data-token]";
const PRESSED = ":scope > button";

const tokensIn = (panel: HTMLElement | null): readonly HTMLElement[] => [
  ...(panel?.querySelectorAll<HTMLElement>(ALL) ?? []),
];

const press = (token: HTMLElement | undefined) =>
  token?.querySelector<HTMLElement>(PRESSED)?.focus();

/**
 * Keys of a panel of tokens, which are elements with `data-token` (a unique name) and `data-task`,
 * each with a button. When a task moves to another place, its focus moves with it.
 */
export function useTokenKeys(panel: RefObject<HTMLElement | null>) {
  const [chosen, setChosen] = useState<string | null>(null);
  const [tabStop, setTabStop] = useState<string | null>(null);
  const focused = useRef<string | null>(null);
  useLayoutEffect(() => {
    const tokens = tokensIn(panel.current);
    const named = (name: string | null) => tokens.find(({ dataset }) => dataset.token === name);
    const stop = named(chosen) ?? tokens[0];
    setTabStop(stop?.dataset.token ?? null);
    // A removed button loses the focus.
    const task = focused.current;
    if (task === null || document.activeElement !== document.body) return;
    focused.current = null;
    press(tokens.find(({ dataset }) => dataset.task === task));
  });
  const onFocus = (event: FocusEvent) => {
    const token = event.target.closest<HTMLElement>(ALL);
    focused.current = token?.dataset.task ?? null;
    setChosen(token?.dataset.token ?? null);
  };
  const onBlur = ({ target }: FocusEvent) => {
    queueMicrotask(() => {
      if (target.isConnected) focused.current = null;
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const tokens = tokensIn(panel.current);
    const from = event.target instanceof Element ? event.target : null;
    // After a press with a pointer, these keys step the machine.
    if (!from?.matches(":focus-visible")) return;
    const at = tokens.findIndex((token) => token.contains(from));
    const next = nextToken(event.key, at, tokens.length);
    if (next === null) return;
    event.preventDefault();
    press(tokens[next]);
  };
  return { tabStop, onFocus, onBlur, onKeyDown };
}

function nextToken(key: string, at: number, count: number): number | null {
  const moves: Record<string, number> = {
    ArrowRight: at + 1,
    ArrowDown: at + 1,
    ArrowLeft: at - 1,
    ArrowUp: at - 1,
    Home: 0,
    End: count - 1,
  };
  const next = moves[key];
  return next === undefined ? null : Math.min(count - 1, Math.max(0, next));
}
