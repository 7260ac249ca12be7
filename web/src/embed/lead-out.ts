// Links of the machine to other pages of mmscope.

/**
 * Opens links to pages of mmscope on its site, in a new tab. Without a site their targets do not
 * exist, so the document is marked and the style sheet hides them.
 */
export function leadOut(site: string | null): void {
  document.documentElement.classList.toggle("embed-nowhere", site === null);
  addEventListener(
    "click",
    (event) => {
      const link = event.target instanceof Element && event.target.closest('a[href^="#/"]');
      if (!link) return;
      event.preventDefault();
      event.stopPropagation();
      const fragment = link.getAttribute("href") ?? "";
      if (site !== null) open(new URL(fragment, site), "_blank", "noopener");
    },
    { capture: true },
  );
}
