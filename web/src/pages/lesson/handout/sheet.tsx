// Shared parts of the handout and the key: their head, and printing.

import { type ReactNode, useEffect } from "react";
import { lendLight } from "../../../ui/theme";
import { useLesson } from "../context";
import { qrOf } from "./qr";
import { SHEET } from "./words";

/** Props of either sheet. */
export interface SheetProps {
  /** The lesson's address; null for a lesson from a folder. */
  readonly address: string | null;
  /** Reports progress. */
  readonly say: (words: string) => void;
  /** Called after printing. */
  readonly printed: () => void;
}

/** Shows the page in the light theme while a sheet is on it. */
export function useLightTheme(): void {
  useEffect(lendLight, []);
}

/** Prints the page when something is ready. */
export function usePrinting(isReady: boolean, printed: () => void): void {
  useEffect(() => {
    if (!isReady) return;
    addEventListener("afterprint", printed, { once: true });
    // One frame for rendering, one for the layout.
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => print());
    });
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener("afterprint", printed);
    };
  }, [isReady, printed]);
}

/** The head of a sheet: its title, its lesson, and the lesson's address. */
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

/** The lesson's address, to type or to scan. */
function Where({ address }: { address: string }) {
  const { size, path } = qrOf(address);
  return (
    <div className="where">
      <svg viewBox={`0 0 ${size} ${size}`} role="img" aria-label={SHEET.qrCodeOfLessonsAddress}>
        <path d={path} />
      </svg>
      <a href={address}>{address.replace(/^https?:\/\//, "")}</a>
    </div>
  );
}
