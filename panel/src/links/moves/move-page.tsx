import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Alert, Button, Group, List, Progress, Skeleton, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import type { ImportChange, ProductImport } from "../../base/api.ts";
import { formatNumber, formatTime } from "../../base/i18n.ts";
import { ConfirmButton } from "../../ui/forms/confirm-button.tsx";
import { FormFoot } from "../../ui/forms/form-foot.tsx";
import { DataList } from "../../ui/lists/data-list.tsx";
import { LoadFailure } from "../../ui/load-failure.tsx";
import { useFailureNotice } from "../../ui/notices/undo.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { PagePath } from "../../ui/lists/page-path.tsx";
import { refreshLinks } from "../link-queries.ts";
import { MoveColumns } from "./move-columns.tsx";
import { MoveCounts } from "./move-counts.tsx";
import { MoveNotes } from "./move-notes.tsx";
import { MoveOptions } from "./move-options.tsx";
import { useProducts } from "./move-products.ts";
import { changeMove, doMove, forgetMove, isWorkedOn, moveQuery } from "./move-queries.ts";
import { lacksTarget, MoveState } from "./move-state.tsx";

const route = getRouteApi("/inside/links/moves/$id");

/** One move: its preview with the choices, its progress, its report, and the way back. */
export function MovePage() {
  const id = Number(route.useParams().id);
  const products = useProducts();
  const { data: move, error, refetch } = useQuery(moveQuery(id));
  const queries = useQueryClient();
  const state = move?.state;
  useEffect(() => {
    if (state === "done" || state === "undone") void refreshLinks(queries);
  }, [queries, state]);
  // A preview that is made anew leaves the one before in place, with the focus.
  const [rested, setRested] = useState<ProductImport | null>(null);
  if (move !== undefined && !isWorkedOn(move) && move !== rested) setRested(move);
  const before = state === "previewing" ? rested : null;
  const title = move === undefined ? "" : (products[move.product]?.title ?? move.product);
  return (
    <Stack p="md" gap="md">
      <Head title={title} move={move} />
      <Stack gap="md" maw={860}>
        {error !== null && move === undefined && <LoadFailure error={error} onRetry={() => void refetch()} />}
        {error === null && move === undefined && <Skeleton height={160} />}
        {move !== undefined &&
          (isWorkedOn(move) && before === null ? (
            <Working move={move} />
          ) : (
            <Resting
              move={before === null ? move : { ...before, options: move.options }}
              isAwaited={before !== null}
            />
          ))}
      </Stack>
    </Stack>
  );
}

function Head({ title, move }: { title: string; move: ProductImport | undefined }) {
  const { t } = useLingui();
  const name = title === "" ? t`Import` : t`Import from ${title}`;
  return (
    <>
      <PagePath to="/links/moves" name={name}>
        <Trans>All imports</Trans>
      </PagePath>
      <PageHead
        title={name}
        sentence={
          move !== undefined && (
            <Group gap="xs" component="span">
              <bdi style={{ overflowWrap: "anywhere" }}>{move.source}</bdi>
              <span>{formatTime(move.created_at)}</span>
              <MoveState move={move} />
            </Group>
          )
        }
      />
    </>
  );
}

function Working({ move: { progress, state } }: { move: ProductImport }) {
  const { t } = useLingui();
  const { stage, done, total } = progress;
  const stages = {
    preview: t`Reading the source`,
    links: t`Importing links`,
    visits: t`Importing visits`,
    files: t`Importing files`,
    undo: t`Undoing the import`,
    confirm: t`Finishing`,
  };
  const share = total === null || total === 0 ? null : Math.min(1, done / total);
  return (
    <Stack gap="xs" mih={120} justify="center">
      <Text fw={600} aria-live="polite">
        {stages[stage ?? (state === "running" ? "links" : "preview")]}
      </Text>
      <Progress.Root size="lg">
        <Progress.Section
          value={(share ?? 1) * 100}
          {...(share === null && { striped: true, animated: true })}
          aria-label={t`Progress of the import`}
        />
      </Progress.Root>
      <Text size="sm" c="dimmed">
        {total === null ? formatNumber(done) : t`${formatNumber(done)} of ${formatNumber(total)}`}
        {" · "}
        <Trans>You can leave this page; the server continues.</Trans>
      </Text>
    </Stack>
  );
}

/** What waits for a decision, or needs none any more. */
function Resting({ move, isAwaited }: { move: ProductImport; isAwaited: boolean }) {
  const { t } = useLingui();
  const { id, state, counts } = move;
  const queries = useQueryClient();
  const onError = useFailureNotice();
  const onSuccess = (next: ProductImport) => queries.setQueryData(moveQuery(id).queryKey, next);
  const change = useMutation({
    mutationFn: (body: ImportChange) => changeMove(id, body),
    onSuccess,
    onError,
  });
  const act = useMutation({ mutationFn: (what: "start" | "undo") => doMove(id, what), onSuccess, onError });
  const isBusy = change.isPending || act.isPending || isAwaited;
  const options = { ...move.options, ...(change.isPending && change.variables) };
  const hasBegun = state !== "previewed" && (state !== "stopped" || counts.links_imported > 0);
  // Its preview found out nothing, as the source could not be read.
  const isUnread = state === "stopped" && counts.links_read === 0 && move.columns.length === 0;
  const isUnmatched = lacksTarget(move);
  return (
    <Stack gap="lg" aria-busy={isBusy}>
      {isUnmatched && (
        <Alert color="yellow" variant="light">
          <Trans>Choose which column holds the target.</Trans>
        </Alert>
      )}
      {move.problem !== null && !isUnmatched && (
        <Alert color="red" variant="light" role="alert" title={t`The import stopped`}>
          <span lang="en">{move.problem}</span>
        </Alert>
      )}
      {!isUnmatched && !isUnread && <MoveCounts move={move} />}
      {!hasBegun && !isUnread && (
        <>
          {move.columns.length > 0 && (
            <MoveColumns columns={move.columns} isBusy={isBusy} onChange={(map) => change.mutate({ map })} />
          )}
          <MoveOptions
            value={options}
            hasVisits={move.product !== "csv"}
            domains={move.domains}
            onChange={({ visits, on_conflict, disabled, add_domains }) =>
              change.mutate({ visits, on_conflict, disabled, add_domains })
            }
          />
          <Samples samples={move.samples} />
        </>
      )}
      <MoveNotes move={move} />
      {move.not_imported.length > 0 && !hasBegun && !isUnread && (
        <div>
          <Text component="h2" fw={600}>
            <Trans>What can't be imported from this product</Trans>
          </Text>
          <List size="sm" lang="en">
            {move.not_imported.map((sentence) => (
              <List.Item key={sentence}>{sentence}</List.Item>
            ))}
          </List>
        </div>
      )}
      <FormFoot>
        <Forget move={move} />
        {(state === "done" || (state === "stopped" && hasBegun)) && (
          <ConfirmButton
            label={t`Undo the import`}
            question={t`Removes the imported links. Those that were changed since stay, and the report lists them.`}
            run={() => doMove(id, "undo").then(onSuccess)}
            list="moves"
          />
        )}
        {state === "done" && <ImportedLinks id={id} />}
        {state === "done" && (
          <ConfirmButton
            label={t`Keep for good`}
            question={t`The import can't be undone after that.`}
            run={() => doMove(id, "confirm").then(onSuccess)}
            list="moves"
            color="brand"
            leads
          />
        )}
        {isUnread && (
          <Button loading={isBusy} onClick={() => change.mutate({})}>
            <Trans>Try again</Trans>
          </Button>
        )}
        {(state === "previewed" || state === "stopped") && !isUnread && (
          <Button
            disabled={!hasBegun && counts.links_imported === 0}
            loading={isBusy}
            onClick={() => act.mutate("start")}
          >
            {hasBegun ? (
              <Trans context="a stopped import">Continue</Trans>
            ) : counts.links_imported === 0 ? (
              <Trans>Import</Trans>
            ) : (
              <Plural value={counts.links_imported} one="Import # link" other="Import # links" />
            )}
          </Button>
        )}
        {state === "confirmed" && (
          <Button component={Link} to="/links">
            <Trans>Show the links</Trans>
          </Button>
        )}
      </FormFoot>
    </Stack>
  );
}

/** Only until the import is kept for good does the server know which they are. */
const ImportedLinks = ({ id }: { id: number }) => (
  <Button
    variant="default"
    renderRoot={(look) => (
      <Link {...look} to="/links" search={{ imported: id, sort: "created_at", order: "desc" }} />
    )}
  >
    <Trans>Show the links</Trans>
  </Button>
);

function Samples({ samples }: { samples: ProductImport["samples"] }) {
  const { t } = useLingui();
  if (samples.length === 0) return null;
  return (
    <Stack gap="xs">
      <Text component="h2" fw={600}>
        <Trans>The first links</Trans>
      </Text>
      <DataList
        label={t`The first links`}
        items={samples}
        error={null}
        onRetry={() => undefined}
        keyOf={({ code, target }) => `${code} ${target}`}
        empty=""
        columns={[
          {
            title: t`Code`,
            cell: ({ code, title }) => (
              <>
                <Text size="sm" fw={600} style={{ overflowWrap: "anywhere" }}>
                  <bdi>{code === "" ? t`random` : code}</bdi>
                </Text>
                {title !== null && (
                  <Text size="xs" c="dimmed" dir="auto" lineClamp={1}>
                    {title}
                  </Text>
                )}
              </>
            ),
          },
          {
            title: t`Target`,
            cell: ({ target }) => (
              <Text size="sm" lineClamp={1} style={{ overflowWrap: "anywhere" }}>
                {target}
              </Text>
            ),
          },
          {
            title: t`Created`,
            isHidden: "narrow",
            fit: "value",
            cell: ({ created_at: at }) => (at === null ? "" : formatTime(at)),
          },
          { title: t`All clicks`, fit: "number", cell: ({ click_count: clicks }) => formatNumber(clicks) },
        ]}
      />
    </Stack>
  );
}

/** Its record alone; links stay as they are. */
function Forget({ move: { id, state, counts } }: { move: ProductImport }) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const onError = useFailureNotice();
  const forget = useMutation({
    mutationFn: () => forgetMove(id),
    async onSuccess() {
      await navigate({ to: "/links/moves" });
      await queries.invalidateQueries({ queryKey: ["moves", "list"] });
    },
    onError,
  });
  const isOver = state === "undone" || state === "confirmed";
  const isUnused = state === "previewed" || (state === "stopped" && counts.links_imported === 0);
  if (!isOver && !isUnused) return null;
  return (
    <Button variant="default" loading={forget.isPending} onClick={() => forget.mutate()}>
      {isOver ? <Trans>Delete the report</Trans> : <Trans>Cancel</Trans>}
    </Button>
  );
}
