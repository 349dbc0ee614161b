import { type DragEvent, useState } from "react";

/** What an element takes that files are dropped on. `data-over` is there while they are held over it. */
export function useDropZone(onDrop: (dropped: DataTransfer) => void) {
  const [isOver, setIsOver] = useState(false);
  return {
    "data-over": isOver || undefined,
    onDragOver(event: DragEvent) {
      event.preventDefault();
      setIsOver(true);
    },
    onDragLeave: () => setIsOver(false),
    onDrop(event: DragEvent) {
      event.preventDefault();
      setIsOver(false);
      onDrop(event.dataTransfer);
    },
  };
}
