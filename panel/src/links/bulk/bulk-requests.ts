/** What is asked for the selection of the list, and when the selection ends. */
import { useLingui } from "@lingui/react/macro";
import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { usePageRequest } from "../../ui/dialogs/page-request.ts";
import { useFailureNotice } from "../../ui/notices/undo.tsx";
import type { LinkFinding } from "../link-search.ts";
import { totalQuery } from "../list/page-queries.ts";
import type { LinkSelection } from "../list/selection.ts";
import type { Bulk } from "./bulk.tsx";
import type { LinksChange } from "./bulk-change.ts";

/** `owner` and `target`: the form of edits, which begins there. */
export type BulkRequest = "edit" | "owner" | "target" | "delete";

export function useBulkRequests(finding: LinkFinding, selection: LinkSelection, bulk: Bulk) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const onFailure = useFailureNotice();
  const [requested, setRequested] = useState<BulkRequest | null>(null);
  const { selected } = selection;
  const shown = JSON.stringify(finding);
  const [left, setLeft] = useState({ shown, count: 0 });
  usePageRequest("hand-over", () => void editAll("owner").catch(onFailure));
  usePageRequest("replace", () => void editAll("target").catch(onFailure));

  /** Of all that the list finds. */
  async function editAll(part: "owner" | "target"): Promise<void> {
    const count = await queries.fetchQuery(totalQuery(finding));
    if (count === 0) {
      const message = part === "owner" ? t`There are no links to hand over.` : t`There are no links yet.`;
      return void notifications.show({ message });
    }
    selection.set({ kind: "all", finding, total: count });
    setRequested(part);
  }

  /** A filter may not find any more what was changed; then nobody sees what is selected. */
  async function changeSelected(change: LinksChange): Promise<void> {
    const countFound = () => queries.getQueryData(totalQuery(finding).queryKey) ?? 0;
    const before = countFound();
    await bulk.change(selected, change);
    const count = before - countFound();
    setLeft({ shown, count });
    if (count > 0) selection.clear();
  }

  function removeSelected(): void {
    setLeft({ shown, count: 0 });
    if (selected.kind === "all") setRequested("delete");
    else if (selected.links.size > 0) void bulk.remove(selected);
  }

  /** Links that the filter does not find any more since they were changed. */
  const leftCount = left.shown === shown ? left.count : 0;
  return { requested, setRequested, changeSelected, removeSelected, leftCount };
}
