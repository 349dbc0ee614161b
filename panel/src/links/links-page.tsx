import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Button, Group } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { IconPlus } from "@tabler/icons-react";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { Link } from "../base/api.ts";
import { lazyPart } from "../base/lazy.ts";
import { LazyDialog } from "../ui/dialogs/lazy-dialog.tsx";
import { usePageRequest } from "../ui/dialogs/page-request.ts";
import { hinted } from "../ui/keys/shortcuts.ts";
import { PageHead } from "../ui/page-head.tsx";
import type { LinkSearch } from "./link-search.ts";
import { LinksMenu } from "./links-menu.tsx";
import { BulkBar } from "./bulk/bulk-bar.tsx";
import { BulkDialogs } from "./bulk/bulk-dialogs.tsx";
import { useBulkRequests } from "./bulk/bulk-requests.ts";
import { useBulk } from "./bulk/bulk.tsx";
import { useColumns, withSorted } from "./list/columns.ts";
import { FilterChips } from "./list/filter-chips.tsx";
import { LinkGrid } from "./list/link-grid.tsx";
import { LinksToolbar } from "./list/links-toolbar.tsx";
import { useLinkActions } from "./list/link-actions.tsx";
import { QrDialog } from "./list/qr-dialog.tsx";
import type { LinkAction } from "./list/row-keys.ts";
import { useLinkSelection } from "./list/selection.ts";
import classes from "./list/list.module.css";

const NewLinks = lazyPart(async () => (await import("./many/new-links.tsx")).NewLinks);

type Change = { [K in keyof LinkSearch]?: LinkSearch[K] | undefined };

export function LinksPage() {
  const { t } = useLingui();
  const search = useSearch({ from: "/inside/links" });
  const navigate = useNavigate({ from: "/links" });
  const columns = useColumns();
  const { ref: frame, width } = useElementSize<HTMLDivElement>();
  const selection = useLinkSelection();
  const [total, setTotal] = useState<number>();
  const [pasted, setPasted] = useState<string | null>(null);
  const [qr, setQr] = useState<Link | null>(null);
  const actions = useLinkActions(selection.drop);
  const bulk = useBulk(selection);
  const { selected } = selection;
  usePageRequest("new-links", setPasted);
  const { at: _, ...finding } = search;
  const { requested, setRequested, changeSelected, removeSelected, leftCount } = useBulkRequests(
    finding,
    selection,
    bulk,
  );

  const go = (change: Change, isNew: boolean): void =>
    void navigate({
      search: (now) =>
        Object.fromEntries(
          Object.entries({ ...now, ...change }).filter(([, value]) => value !== undefined),
        ) as LinkSearch,
      replace: !isNew,
      resetScroll: false,
    });
  /** A changed filter starts at the first row. */
  const find = (change: Change): void => {
    selection.clear();
    go({ ...change, at: undefined }, !("q" in change));
  };

  function onAction(action: LinkAction, link: Link | undefined): void {
    if (action === "new") void navigate({ to: "/links/new" });
    else if (action === "delete" && link === undefined) removeSelected();
    else if (link === undefined) return;
    else if (action === "qr") setQr(link);
    else if (action === "page" || action === "form") {
      void navigate({
        to: "/link/$",
        params: { _splat: link.code },
        search: link.domain === null ? {} : { domain: link.domain },
        ...(action === "form" && { state: { requested: "edit" as const } }),
      });
    } else actions.run(action, link);
  }

  return (
    <div className={classes["page"]} data-scrolls-within>
      <div className={classes["top"]}>
        <PageHead
          title={t`Links`}
          sentence={
            <span aria-live="polite">
              {total === undefined ? "\u00a0" : <Plural value={total} one="# link" other="# links" />}
            </span>
          }
        >
          <Group gap="xs" wrap="nowrap">
            <LinksMenu search={finding} />
            <Button
              leftSection={<IconPlus size={16} aria-hidden />}
              {...hinted(t`New link`, "new")}
              onClick={() => void navigate({ to: "/links/new" })}
            >
              <Trans>New link</Trans>
            </Button>
          </Group>
        </PageHead>
      </div>
      <LinksToolbar finding={finding} columns={columns} onChange={find} />
      <FilterChips finding={finding} onChange={find} />
      <div className={classes["frame"]} ref={frame}>
        <LinkGrid
          search={search}
          columns={withSorted(columns, finding.sort)}
          width={width}
          selection={selection}
          onSort={(sort, order) => find({ sort, order })}
          onPlace={(at) => go({ at: at > 0 ? at : undefined }, false)}
          onTotal={setTotal}
          leftCount={leftCount}
          onAction={onAction}
          onTag={(tag) => find({ tag: [...new Set([...(finding.tag ?? []), tag])] })}
          onClear={() => void navigate({ search: {} })}
        />
        <BulkBar
          selection={selection}
          bulk={bulk}
          total={total ?? 0}
          onAll={() => selection.set({ kind: "all", finding, total: total ?? 0 })}
          onEdit={() => setRequested("edit")}
          onDelete={removeSelected}
        />
      </div>
      {pasted !== null && (
        <LazyDialog onClose={() => setPasted(null)}>
          <NewLinks text={pasted} onClose={() => setPasted(null)} />
        </LazyDialog>
      )}
      {qr !== null && <QrDialog link={qr} onClose={() => setQr(null)} />}
      <BulkDialogs
        requested={requested}
        selected={selected}
        onChange={changeSelected}
        onDelete={bulk.remove}
        onClose={() => setRequested(null)}
      />
    </div>
  );
}
