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

/** `owner`: the form of edits, which begins there. */
export type BulkRequest = "edit" | "owner" | "delete";

export function useBulkRequests(finding: LinkFinding, selection: LinkSelection, bulk: Bulk) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const onFailure = useFailureNotice();
  const [requested, setRequested] = useState<BulkRequest | null>(null);
  const { selected } = selection;
  usePageRequest("hand-over", () => void handOver().catch(onFailure));

  /** All that the list finds get another owner. */
  async function handOver(): Promise<void> {
    const count = await queries.fetchQuery(totalQuery(finding));
    if (count === 0) return void notifications.show({ message: t`There are no links to hand over.` });
    selection.set({ kind: "all", finding, total: count });
    setRequested("owner");
  }

  /** A filter may not find any more what was changed; then nobody sees what is selected. */
  async function changeSelected(change: LinksChange): Promise<void> {
    const countFound = () => queries.getQueryData(totalQuery(finding).queryKey) ?? 0;
    const before = countFound();
    await bulk.change(selected, change);
    if (countFound() < before) selection.clear();
  }

  function removeSelected(): void {
    if (selected.kind === "all") setRequested("delete");
    else if (selected.links.size > 0) void bulk.remove(selected);
  }

  return { requested, setRequested, changeSelected, removeSelected };
}
