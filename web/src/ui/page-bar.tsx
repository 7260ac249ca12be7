// The top bar of every page: link home, title, actions, theme.

import "./page-bar.css";
import type { ReactNode } from "react";
import { Logo } from "./icons";
import { ThemeButton } from "./theme-button";
import { PAGE_BAR } from "./words";

/** The link home. */
export const Wordmark = () => (
  <a className="wordmark" href="#/" aria-label={PAGE_BAR.mmscopeHome}>
    <Logo />
    <b>{PAGE_BAR.mmscope}</b>
  </a>
);

/** A page's top bar. */
export const PageBar = ({
  crumb,
  children,
  isCovered = false,
}: {
  crumb?: ReactNode;
  children?: ReactNode;
  /** Something covers the bar, so it cannot be reached. */
  isCovered?: boolean;
}) => (
  <header className="bar top page-bar" inert={isCovered}>
    <Wordmark />
    {crumb && (
      <>
        <span className="sep" />
        <span className="crumb">{crumb}</span>
      </>
    )}
    <span className="sp" />
    {children}
    <a
      className="btn icon"
      href="#/manual"
      aria-label={PAGE_BAR.manualLabel}
      title={PAGE_BAR.manual}
    >
      ?
    </a>
    <ThemeButton />
  </header>
);
