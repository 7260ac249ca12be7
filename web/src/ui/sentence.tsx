import type { Span } from "../engine/types";
import { Name } from "./lit";

/** A name, number or words of a sentence the engine made. */
function Part({ span }: { span: Span }) {
  switch (span.kind) {
    case "text":
      return <>{span.text}</>;
    case "number":
      return <b>{span.text}</b>;
    case "zone":
      return <Name k={`zone ${span.key}`}>{span.text}</Name>;
    case "task":
      return <Name k={`task ${span.id}`}>{span.text}</Name>;
    case "page":
      return <Name k={`page ${span.pfn}`}>{span.text}</Name>;
  }
}

/** A sentence of the engine: numbers are bold, names light up what they name. */
export function Sentence({ spans }: { spans: readonly Span[] }) {
  return (
    <>
      {spans.map((span, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a sentence is replaced as a whole
        <Part key={i} span={span} />
      ))}
    </>
  );
}
