import { Trans, useLingui } from "@lingui/react/macro";
import { Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { inTree } from "../ui/tree-names.ts";
import { useWayBack } from "../ui/back-closes.ts";
import { LoadFailure } from "../ui/load-failure.tsx";
import { PageHead } from "../ui/page-head.tsx";
import { PagePath } from "../ui/lists/page-path.tsx";
import type { ShareSubject } from "./form/share-values.ts";
import { ShareForm } from "./form/share-form.tsx";
import type { SavedShare } from "./form/save-share.ts";
import { SharePreview } from "./share-preview.tsx";
import { linkOfCodeQuery } from "./share-queries.ts";

/** Shares what is chosen or uploaded, opens a drop box, or has a link serve one of these. */
export function NewSharePage() {
  const { t } = useLingui();
  const { items = [], link: code, drop, team } = useSearch({ from: "/inside/shares/new" });
  const navigate = useNavigate();
  const leave = useWayBack("/shares");
  const {
    data: link,
    error,
    refetch,
  } = useQuery({ ...linkOfCodeQuery(code ?? ""), enabled: code !== undefined });
  const [first, ...others] = items;
  const several = items.length;
  const title =
    code !== undefined
      ? t`Edit ${code}`
      : others.length > 0
        ? t`Share ${several} items`
        : first === undefined
          ? t`New share`
          : t`Share ${first.name}`;
  const made: ShareSubject =
    others.length > 0
      ? { form: "new", item: null, items }
      : { form: "new", item: first ?? null, ...(drop && { isDrop: true }) };
  const subject: ShareSubject | undefined = code === undefined ? made : link && { form: "link", link };
  async function show({ code: saved, use, made: isMade }: SavedShare): Promise<void> {
    const place = { params: { _splat: saved }, replace: true };
    if (use === "url") await navigate({ to: "/link/$", ...place, search: {} });
    else
      await navigate({
        to: "/share/$",
        ...place,
        search: { ...inTree(team), ...(isMade && { made: true }) },
      });
  }
  return (
    <Stack p="md" gap="md">
      <PagePath to="/shares" search={{}} name={title}>
        <Trans>Shares</Trans>
      </PagePath>
      <PageHead title={title} />
      {error !== null && <LoadFailure error={error} onRetry={() => void refetch()} />}
      {subject !== undefined && (
        <ShareForm
          subject={subject}
          team={team}
          onClose={leave}
          onSaved={show}
          aside={(values) => <SharePreview values={values} />}
        />
      )}
    </Stack>
  );
}
