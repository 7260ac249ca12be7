import type { ReactNode } from "react";
import { useWorkbench } from "../../app/context";
import type { Point, Port } from "../../draw/map/levels";
import { Canvas } from "../../ui/Canvas";
import { usePalette } from "../../ui/theme";
import { MapGrid } from "./MapGrid";
import { MapMarks } from "./MapMarks";
import type { MapProps, Scene } from "./scene";

/** A scene's picture, its marks and its cursor. */
export function Sight({
  node,
  view,
  scene,
  port,
  cursor,
  setCursor,
  enter,
  children,
}: Pick<MapProps, "node" | "view"> & {
  scene: Scene;
  /** The part in view; default: all of it. */
  port?: Port | undefined;
  cursor: number | null;
  setCursor: (cell: number | null, isByKey: boolean) => void;
  enter?: ((cell: number, at: Point | null) => void) | undefined;
  children?: ReactNode;
}) {
  const workbench = useWorkbench();
  const palette = usePalette();
  const { layout, isPages } = scene;
  const inView = port ?? { x: 0, y: 0, width: layout.width, height: layout.height };
  const press = (cell: number) => {
    const pfn = scene.pfnOf(cell);
    if (pfn !== null) workbench.select(`page ${pfn}`);
  };
  return (
    <MapGrid
      label={scene.label}
      layout={layout}
      count={scene.count}
      cursor={cursor}
      setCursor={setCursor}
      say={scene.say}
      press={isPages ? press : undefined}
      enter={enter}
      port={port}
    >
      <Canvas
        width={inView.width}
        height={inView.height}
        draw={(g) => scene.paint(g, palette, inView)}
      />
      <MapMarks
        layout={layout}
        view={view}
        node={node.id}
        indexOf={scene.indexOf}
        isOff={scene.isOff}
        hasBlocks={isPages}
        port={inView}
        cursor={isPages ? null : cursor}
      />
      {children}
    </MapGrid>
  );
}
