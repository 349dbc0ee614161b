import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { Link } from "../base/api.ts";
import { lazyPart } from "../base/lazy.ts";
import { LazyDialog } from "../ui/dialogs/lazy-dialog.tsx";
import type { ShareSubject } from "./form/share-values.ts";

const ShareDialog = lazyPart(async () => (await import("./share-dialog.tsx")).ShareDialog);

/** Changes a code of the default domain between URL, share and drop box: opens the dialog, and the dialog itself. */
export function useChangeUse(link: Link | undefined): { begin(): void; dialog: ReactNode } {
  const navigate = useNavigate();
  const queries = useQueryClient();
  /** Null once the dialog is closed, undefined before it was opened. */
  const [subject, setSubject] = useState<ShareSubject | null>();
  async function open(): Promise<void> {
    if (link === undefined) return;
    if (!link.target.startsWith("waymark:")) setSubject({ form: "link", link });
    else {
      const { shareQuery } = await import("./share-queries.ts");
      setSubject({ form: "edit", share: await queries.fetchQuery(shareQuery(link.code)) });
    }
  }
  return {
    begin: () =>
      void open().catch(() =>
        navigate({ to: "/shares", search: link === undefined ? {} : { q: link.code, all: true } }),
      ),
    dialog: subject !== undefined && (
      <LazyDialog isOpen={subject !== null} onClose={() => setSubject(null)}>
        <ShareDialog
          subject={subject}
          onClose={() => setSubject(null)}
          onSaved={({ code, use }) => {
            if (use !== "url" && subject?.form === "link")
              void navigate({ to: "/shares", search: { q: code } });
          }}
        />
      </LazyDialog>
    ),
  };
}
