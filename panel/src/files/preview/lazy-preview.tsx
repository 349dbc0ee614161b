import { type ComponentProps, Suspense, useState } from "react";
import { lazyPart } from "../../app/lazy.ts";

const PreviewDialog = lazyPart(async () => (await import("./preview-dialog.tsx")).PreviewDialog);

/** Loaded with the first opened file, and kept, so that closing returns the focus. */
export function LazyPreview(props: ComponentProps<typeof PreviewDialog>) {
  const [isAsked, setIsAsked] = useState(false);
  if (props.id !== null && !isAsked) setIsAsked(true);
  if (!isAsked) return null;
  return (
    <Suspense fallback={null}>
      <PreviewDialog {...props} />
    </Suspense>
  );
}
