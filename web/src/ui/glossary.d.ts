/** The entries of docs/glossary.md, which `scripts/lib/vite/glossary.mjs` reads. */
declare module "virtual:glossary" {
  export const ENTRIES: readonly {
    /** Its address in the glossary: `#/glossary/ID`. */
    readonly id: string;
    /** Its names, the usual one first. */
    readonly names: readonly string[];
    /** What it means. */
    readonly text: string;
  }[];
}
