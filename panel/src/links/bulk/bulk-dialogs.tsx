import { useRef } from "react";
import { lazyPart } from "../../base/lazy.ts";
import { LazyDialog } from "../../ui/dialogs/lazy-dialog.tsx";
import type { Selected } from "../list/selection.ts";
import type { BulkLead, LinksChange } from "./bulk-change.ts";
import type { BulkRequest } from "./bulk-requests.ts";

const BulkDelete = lazyPart(async () => (await import("./bulk-delete.tsx")).BulkDelete);
const BulkEdit = lazyPart(async () => (await import("./bulk-edit.tsx")).BulkEdit);

type Props = {
  requested: BulkRequest | null;
  selected: Selected;
  onChange(change: LinksChange): Promise<void>;
  onDelete(selected: Selected): Promise<void>;
  onClose(): void;
};

/** What is asked before bulk work. */
export function BulkDialogs({ requested, selected, onChange, onDelete, onClose }: Props) {
  // A form leaves by moving.
  const isOpened = useRef(false);
  const isEdit = requested !== null && requested !== "delete";
  isOpened.current ||= isEdit;
  const lead = useRef<BulkLead>(null);
  if (isEdit) lead.current = requested === "edit" ? null : requested;
  return (
    <>
      {isOpened.current && (
        <LazyDialog isOpen={isEdit} onClose={onClose}>
          <BulkEdit
            selected={selected}
            isOpen={isEdit}
            lead={lead.current}
            onClose={onClose}
            onSave={(change) => {
              onClose();
              void onChange(change);
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
              void onDelete(counted);
            }}
          />
        </LazyDialog>
      )}
    </>
  );
}
