import { useRef, useState } from "react";
import type { Link } from "../base/api.ts";
import { lazyPart, soonPart } from "../base/lazy.ts";
import { usePageRequest } from "../ui/dialogs/page-request.ts";
import { LazyDialog } from "../ui/dialogs/lazy-dialog.tsx";

const LinkForm = soonPart(async () => (await import("./link-form.tsx")).LinkForm);
const NewLinks = lazyPart(async () => (await import("./many/new-links.tsx")).NewLinks);

type Edited = Link | "new" | null;

/** The form of a link, and the table of new links that a pasted list opens. */
export function ListForms({ edited, onEdit }: { edited: Edited; onEdit(edited: Edited): void }) {
  const [pasted, setPasted] = useState<string | null>(null);
  usePageRequest("new-links", setPasted);
  // A form leaves by moving.
  const isOpened = useRef(false);
  isOpened.current ||= edited !== null;
  return (
    <>
      {isOpened.current && (
        <LazyDialog isOpen={edited !== null} onClose={() => onEdit(null)}>
          <LinkForm
            edited={edited}
            onClose={() => onEdit(null)}
            onMany={(text) => {
              onEdit(null);
              setPasted(text);
            }}
          />
        </LazyDialog>
      )}
      {pasted !== null && (
        <LazyDialog onClose={() => setPasted(null)}>
          <NewLinks text={pasted} onClose={() => setPasted(null)} />
        </LazyDialog>
      )}
    </>
  );
}
