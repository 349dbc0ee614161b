import { useRef } from "react";
import { lazyPart } from "../../base/lazy.ts";
import { LazyDialog } from "../../ui/dialogs/lazy-dialog.tsx";
import type { Selected } from "../list/selection.ts";
import type { Bulk } from "./bulk.tsx";

const BulkDelete = lazyPart(async () => (await import("./bulk-delete.tsx")).BulkDelete);
const BulkEdit = lazyPart(async () => (await import("./bulk-edit.tsx")).BulkEdit);

type Props = { requested: "edit" | "delete" | null; selected: Selected; bulk: Bulk; onClose(): void };

/** What is asked before bulk work. */
export function BulkDialogs({ requested, selected, bulk, onClose }: Props) {
  // A form leaves by moving.
  const isOpened = useRef(false);
  isOpened.current ||= requested === "edit";
  return (
    <>
      {isOpened.current && (
        <LazyDialog isOpen={requested === "edit"} onClose={onClose}>
          <BulkEdit
            selected={selected}
            isOpen={requested === "edit"}
            onClose={onClose}
            onSave={(change) => {
              onClose();
              void bulk.change(selected, change);
            }}
          />
        </LazyDialog>
      )}
      {requested === "delete" && selected.kind === "all" && (
        <LazyDialog onClose={onClose}>
          <BulkDelete
            selected={selected}
            onClose={onClose}
            onDelete={(counted) => {
              onClose();
              void bulk.remove(counted);
            }}
          />
        </LazyDialog>
      )}
    </>
  );
}
