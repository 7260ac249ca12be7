import { startTransition, useEffect, useState } from "react";

/**
 * Becomes true once what was built when `isReady` did has been drawn: what comes then is built in
 * parts of its own, between which the browser may draw.
 */
export function useLater(isReady: boolean): boolean {
  const [isNow, setNow] = useState(false);
  useEffect(() => {
    if (isReady) startTransition(() => setNow(true));
  }, [isReady]);
  return isNow && isReady;
}
