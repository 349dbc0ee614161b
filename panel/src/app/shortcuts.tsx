import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { Account } from "../base/api.ts";
import { lazyPart } from "../base/lazy.ts";
import type { usePages } from "../base/pages.ts";
import { usePageKeys } from "../ui/keys/page-keys.ts";
import { LazyDialog } from "../ui/dialogs/lazy-dialog.tsx";
import { undoNewest } from "../ui/notices/undo-notice.tsx";

const KeysSheet = lazyPart(async () => (await import("../ui/keys/keys-sheet.tsx")).KeysSheet);

type Props = { pages: ReturnType<typeof usePages>; account: Account };

/** The shortcuts of all pages, and the sheet of them. */
export function Shortcuts({ pages, account }: Props) {
  const navigate = useNavigate();
  const [sheet, setSheet] = useState<"open" | "closed" | null>(null);
  const makesLinks = account.role !== "user";
  usePageKeys(
    {
      help: () => setSheet("open"),
      undo: undoNewest,
      new: () =>
        void (makesLinks ? navigate({ to: "/links/new" }) : navigate({ to: "/shares/new", search: {} })),
    },
    (key) => {
      const page = pages.find((one) => one.key === key);
      if (page !== undefined) void navigate({ to: page.to, search: {} });
      return page !== undefined;
    },
  );
  return (
    sheet !== null && (
      <LazyDialog isOpen={sheet === "open"} onClose={() => setSheet("closed")}>
        <KeysSheet isOpen={sheet === "open"} onClose={() => setSheet("closed")} pages={pages} />
      </LazyDialog>
    )
  );
}
