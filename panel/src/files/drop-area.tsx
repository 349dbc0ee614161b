import { Trans } from "@lingui/react/macro";
import { Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useNoStrayDrops } from "../ui/stray-drops.ts";
import classes from "./list/files.module.css";
import { hasLeft, isDesktopDrag } from "./moves/dragged.ts";

type Props = {
  name: string;
  /** Null: it takes none. */
  onFiles: ((transfer: DataTransfer) => void) | null;
  children: ReactNode;
};

/** Accepts files dropped anywhere on the page, except on what accepts them itself. */
export function DropArea({ name, onFiles, children }: Props) {
  const [isOver, setIsOver] = useState(false);
  useNoStrayDrops();
  return (
    <div
      className={classes["page"]}
      data-scrolls-within
      onDragOver={(event) => {
        if (onFiles === null || !isDesktopDrag(event)) return;
        setIsOver(!event.isDefaultPrevented());
        event.preventDefault();
      }}
      onDragLeave={(event) => {
        if (hasLeft(event)) setIsOver(false);
      }}
      onDrop={(event) => {
        setIsOver(false);
        if (onFiles === null || !isDesktopDrag(event) || event.isDefaultPrevented()) return;
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
