import { Trans } from "@lingui/react/macro";
import { Text } from "@mantine/core";
import { type DragEvent, type ReactNode, useRef, useState } from "react";
import classes from "./list/files.module.css";
import { isDesktopDrag } from "./moves/dragged.ts";

type Props = { name: string; onFiles(transfer: DataTransfer): void; children: ReactNode };

/** Accepts files dropped anywhere on the page. */
export function DropArea({ name, onFiles, children }: Props) {
  const [isOver, setIsOver] = useState(false);
  /** Every element on the way fires a leave event. */
  const depth = useRef(0);
  function step(event: DragEvent, by: number): void {
    if (!isDesktopDrag(event)) return;
    depth.current = Math.max(0, depth.current + by);
    setIsOver(depth.current > 0);
  }
  return (
    <div
      className={classes["page"]}
      onDragEnter={(event) => step(event, 1)}
      onDragLeave={(event) => step(event, -1)}
      onDragOver={(event) => isDesktopDrag(event) && event.preventDefault()}
      onDropCapture={(event) => step(event, -depth.current)}
      onDrop={(event) => {
        if (!isDesktopDrag(event)) return;
        event.preventDefault();
        onFiles(event.dataTransfer);
      }}
    >
      {children}
      {isOver && (
        <div className={classes["cover"]}>
          <Text fw={600} size="sm" ta="center" className={classes["label"]}>
            <Trans>
              Drop to upload to <bdi>{name}</bdi>
            </Trans>
          </Text>
        </div>
      )}
    </div>
  );
}
