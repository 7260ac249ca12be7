/** The kernel's words, from docs/glossary.md: `scripts/lib/vite/glossary.mjs` makes it. */
declare module "virtual:glossary" {
  export const ENTRIES: readonly {
    /** Its address in the glossary: `#/glossary/ID`. */
    readonly id: string;
    /** What it is called, the usual name first. */
    readonly names: readonly string[];
    /** What it means. */
    readonly text: string;
  }[];
}
