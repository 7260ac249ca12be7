declare module "*.md" {
  import type { ComponentType } from "react";

  const text: ComponentType<{ components: Readonly<Record<string, ComponentType<never>>> }>;
  export default text;
}
