declare module "*.mdx" {
  import type { Prose } from "./load";

  const prose: Prose;
  export default prose;
}
