import type { RunMarks, ScannerMark } from "../draw/scanners";
import { boxAt, SCANNERS_PX, type StripLayout, TYPES_PX } from "../draw/strip";

/** Marks of a run of compaction above a strip of pageblocks. */
export function Scanners({
  layout,
  marks,
  cursor,
}: {
  layout: StripLayout;
  marks: RunMarks | null;
  /** The block under the pointer. */
  cursor: number | null;
}) {
  return (
    <svg
      className="overlay scanners"
      width={layout.width}
      height={layout.height}
      aria-hidden="true"
    >
      <defs>
        <pattern id="passed-over" width="4" height="4" patternUnits="userSpaceOnUse">
          <path d="M-1 5L5 -1M-1 1L1 -1M3 5L5 3" />
        </pattern>
        <marker
          id="way-head"
          viewBox="0 0 8 8"
          refX="6"
          refY="4"
          markerWidth="5"
          markerHeight="5"
          orient="auto"
        >
          <path d="M0 0L8 4L0 8z" />
        </marker>
      </defs>
      {marks && (
        <>
          {[...marks.passed.keys()].map((cell) => (
            <Box key={cell} layout={layout} cell={cell} className="passed" />
          ))}
          {marks.seen.map(({ row, from, to }) => (
            <path
              key={`${row} ${from}`}
              className="seen"
              d={`M${from} ${under(layout, row) + 4}H${to}`}
            />
          ))}
          {marks.hint !== null && <Hint layout={layout} cell={marks.hint} />}
          {marks.scanners.map((scanner) => (
            <Scanner key={String(scanner.isUp)} layout={layout} scanner={scanner} />
          ))}
          {marks.move && (
            <path
              className={marks.move.isDone ? "move-path done" : "move-path"}
              d={marks.move.path}
              markerEnd="url(#way-head)"
            />
          )}
        </>
      )}
      {cursor !== null && <Box layout={layout} cell={cursor} className="hover" />}
    </svg>
  );
}

/** The lower end of a row's boxes. */
const under = ({ row_px }: StripLayout, row: number) => (row + 1) * row_px - SCANNERS_PX;

/** An outline around a block. */
function Box({
  layout,
  cell,
  className,
}: {
  layout: StripLayout;
  cell: number;
  className: string;
}) {
  const { x, y } = boxAt(layout, cell);
  const wide = Math.max(layout.box_px, 3);
  return (
    <rect className={className} x={x - 1} y={y - 1} width={wide + 2} height={layout.high_px + 2} />
  );
}

/** The block where a run with a hint began, marked with a flag. */
function Hint({ layout, cell }: { layout: StripLayout; cell: number }) {
  const { x, y } = boxAt(layout, cell);
  return (
    <path
      className="hint"
      d={`M${x - 1} ${y + layout.high_px + 7}V${y - TYPES_PX - 9}h7l-2 3l2 3h-6`}
    />
  );
}

/** A scanner: its block, its direction and its name. */
function Scanner({ layout, scanner }: { layout: StripLayout; scanner: ScannerMark }) {
  const { cell, row, label_x, words, isUp } = scanner;
  const { x } = boxAt(layout, cell);
  const wide = Math.max(layout.box_px, 3);
  const y = under(layout, row);
  const [tail, head, back] = isUp ? [x, x + wide, -4] : [x + wide, x, 4];
  return (
    <g className="scanner">
      <Box layout={layout} cell={cell} className="at" />
      <path d={`M${tail} ${y + 4}H${head}`} />
      <path className="tip" d={`M${head + (isUp ? 1 : -1)} ${y + 4}l${back} -3v6z`} />
      <text x={label_x} y={y + 17}>
        {words}
      </text>
    </g>
  );
}
