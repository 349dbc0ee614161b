import { useState } from "react";
import type { Link } from "../base/api.ts";
import { lazyPart } from "../base/lazy.ts";
import { useAsked } from "../ui/asked.ts";
import { LazyDialog } from "../ui/lazy-dialog.tsx";
import { LinkForm } from "./link-form.tsx";

const NewLinks = lazyPart(async () => (await import("./many/new-links.tsx")).NewLinks);

type Edited = Link | "new" | null;

/** The form of a link, and the table of new links that a pasted list opens. */
export function ListForms({ edited, onEdit }: { edited: Edited; onEdit(edited: Edited): void }) {
  const [pasted, setPasted] = useState<string | null>(null);
  useAsked("new-links", setPasted);
  return (
    <>
      <LinkForm
        edited={edited}
        onClose={() => onEdit(null)}
        onMany={(text) => {
          onEdit(null);
          setPasted(text);
        }}
      />
      {pasted !== null && (
        <LazyDialog onClose={() => setPasted(null)}>
          <NewLinks text={pasted} onClose={() => setPasted(null)} />
        </LazyDialog>
      )}
    </>
  );
}
