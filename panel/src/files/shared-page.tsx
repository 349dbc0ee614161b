import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Button, Skeleton, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { accountQuery } from "../auth/account.ts";
import { formatBytes } from "../base/i18n.ts";
import { INSTANCE_NAME } from "../base/place.ts";
import { targetIn } from "../base/targets.ts";
import { PageHead } from "../ui/page-head.tsx";
import { useShorten } from "../ui/copy/shorten.ts";
import { forgetSharedFiles, sharedFiles } from "./shared-files.ts";
import { chosenFiles } from "./uploads/incoming.ts";
import { useUpload } from "./uploads/use-upload.tsx";

/**
 * What another app or the bookmarklet gave: a URL becomes a link, files become uploads. Other sites can send people here,
 * so nothing happens before they say so.
 */
export function SharedPage() {
  const { t } = useLingui();
  const { url, text, title, files = 0 } = useSearch({ from: "/inside/shared" });
  const { data: account } = useSuspenseQuery(accountQuery);
  const said = [url, text, title].flatMap((given) => given?.split(/\s+/) ?? []);
  const target = said.map(targetIn).find((found) => found !== null);
  const mayLink = account.role !== "user";
  return (
    <Stack p="md" gap="md" maw={640}>
      <PageHead title={t`Shared with ${INSTANCE_NAME}`} />
      {files > 0 && <Files count={files} account={String(account.id)} />}
      {files === 0 && target !== undefined && mayLink && <Target target={target} title={title} />}
      {files === 0 && (target === undefined || !mayLink) && (
        <Text c="dimmed">
          {target === undefined ? (
            <Trans>There is no URL and no file in what was shared.</Trans>
          ) : (
            <Trans>Your account may not create links.</Trans>
          )}
        </Text>
      )}
    </Stack>
  );
}

function Target({ target, title }: { target: string; title: string | undefined }) {
  const shorten = useShorten();
  const navigate = useNavigate();
  const make = useMutation({
    mutationFn: () => shorten(target),
    onSuccess: () => navigate({ to: "/links", replace: true }),
  });
  return (
    <>
      <div>
        {title !== undefined && title !== target && (
          <Text fw={600} style={{ overflowWrap: "anywhere" }} lineClamp={3}>
            <bdi>{title}</bdi>
          </Text>
        )}
        <Text c="dimmed" size="sm" style={{ overflowWrap: "anywhere" }} lineClamp={6}>
          {target}
        </Text>
      </div>
      <Button size="md" loading={make.isPending} onClick={() => make.mutate()}>
        <Trans>Create link</Trans>
      </Button>
    </>
  );
}

function Files({ count, account }: { count: number; account: string }) {
  const upload = useUpload(account);
  const navigate = useNavigate();
  const { data: files } = useQuery({
    queryKey: ["shared", "files", count],
    queryFn: () => sharedFiles(count),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (files === undefined) return <Skeleton height={80} />;
  if (files.length === 0) {
    return (
      <Text c="dimmed">
        <Trans>These files are no longer here. Share them again.</Trans>
      </Text>
    );
  }
  async function begin(chosen: readonly File[]): Promise<void> {
    upload(Promise.resolve(chosenFiles(chosen)), null);
    await forgetSharedFiles();
    await navigate({ to: "/files", search: {}, replace: true });
  }
  return (
    <>
      <Stack component="ul" gap={4} p={0} m={0} style={{ listStyle: "none" }}>
        {files.map((file, at) => (
          <li key={at}>
            <Text span style={{ overflowWrap: "anywhere" }}>
              <bdi>{file.name}</bdi>
            </Text>{" "}
            <Text span size="sm" c="dimmed">
              {formatBytes(file.size)}
            </Text>
          </li>
        ))}
      </Stack>
      <Button size="md" onClick={() => void begin(files)}>
        <Plural value={files.length} one="Upload # file" other="Upload # files" />
      </Button>
    </>
  );
}
