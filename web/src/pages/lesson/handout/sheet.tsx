// What the handout and the key have in common: their head, and how they are printed.

import { type ReactNode, useEffect } from "react";
import { lendLight } from "../../../ui/theme";
import { useLesson } from "../context";
import { qrOf } from "./qr";

/** What is needed to make either of them. */
export interface SheetProps {
  /** Where the lesson is; none for one from a folder. */
  readonly address: string | null;
  /** Says how far the making is. */
  readonly say: (words: string) => void;
  /** It was printed, and is done with. */
  readonly printed: () => void;
}

/** The page has the theme of paper as long as a sheet stands on it. */
export function useLightTheme(): void {
  useEffect(lendLight, []);
}

/** Prints the page once something is ready. */
export function usePrinting(isReady: boolean, printed: () => void): void {
  useEffect(() => {
    if (!isReady) return;
    addEventListener("afterprint", printed, { once: true });
    // One frame to begin, one to be laid out.
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => print());
    });
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener("afterprint", printed);
    };
  }, [isReady, printed]);
}

/** The head of a sheet: what it is, whose, and where the lesson is. */
export function SheetHead({
  title,
  address,
  children,
}: {
  title: string;
  address: string | null;
  children: ReactNode;
}) {
  const { about } = useLesson().lesson;
  return (
    <header className="sheet-head">
      <div>
        {children}
        <h1>{title}</h1>
        <p className="stand">{about}</p>
      </div>
      {address !== null && <Where address={address} />}
    </header>
  );
}

/** The lesson's address, to be typed or to be photographed. */
function Where({ address }: { address: string }) {
  const { size, path } = qrOf(address);
  return (
    <div className="where">
      <svg viewBox={`0 0 ${size} ${size}`} role="img" aria-label="QR code of the lesson’s address">
        <path d={path} />
      </svg>
      <a href={address}>{address.replace(/^https?:\/\//, "")}</a>
    </div>
  );
}
