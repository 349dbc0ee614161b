import { type ComponentProps, useState } from "react";
import { lazyPart } from "../../base/lazy.ts";
import { LazyDialog } from "../../ui/dialogs/lazy-dialog.tsx";

const PreviewDialog = lazyPart(async () => (await import("./preview-dialog.tsx")).PreviewDialog);

/** Loaded with the first opened file, and kept, so that closing returns the focus. */
export function LazyPreview(props: ComponentProps<typeof PreviewDialog>) {
  const [isRequested, setIsRequested] = useState(false);
  if (props.id !== null && !isRequested) setIsRequested(true);
  if (!isRequested) return null;
  return (
    <LazyDialog isOpen={props.id !== null} onClose={props.onClose}>
      <PreviewDialog {...props} />
    </LazyDialog>
  );
}
