import type { Span } from "../engine/types";
import { Name } from "./lit";

/** A name, number or words of a sentence from the engine. */
function Part({ span, tabIndex }: { span: Span; tabIndex?: -1 | undefined }) {
  switch (span.kind) {
    case "text":
      return <>{span.text}</>;
    case "number":
      return <b>{span.text}</b>;
    case "zone":
      return (
        <Name k={`zone ${span.key}`} tabIndex={tabIndex}>
          {span.text}
        </Name>
      );
    case "task":
      return (
        <Name k={`task ${span.id}`} tabIndex={tabIndex}>
          {span.text}
        </Name>
      );
    case "page":
      return (
        <Name k={`page ${span.pfn}`} tabIndex={tabIndex}>
          {span.text}
        </Name>
      );
  }
}

/** A sentence from the engine: numbers are bold, names highlight their items. */
export function Sentence({
  spans,
  tabIndex,
}: {
  spans: readonly Span[];
  /** -1 if the arrow keys reach its names. */
  tabIndex?: -1;
}) {
  return (
    <>
      {spans.map((span, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a sentence is replaced as a whole
        <Part key={i} span={span} tabIndex={tabIndex} />
      ))}
    </>
  );
}
