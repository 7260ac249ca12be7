import { startTransition, useEffect, useState } from "react";

/**
 * Becomes true after the elements that `isReady` added have been drawn. What is rendered then is
 * built in small parts, between which the browser can draw.
 */
export function useLater(isReady: boolean): boolean {
  const [isNow, setNow] = useState(false);
  useEffect(() => {
    if (isReady) startTransition(() => setNow(true));
  }, [isReady]);
  return isNow && isReady;
}
