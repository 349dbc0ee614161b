import { Trans } from "@lingui/react/macro";
import { Button, Paper, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { formatDate } from "../base/i18n.ts";
import { entriesOf, type Entry, UNKNOWN_DETAILS } from "../files/file-queries.ts";
import { useUploadItems } from "../files/uploads/upload-list.ts";
import { isMoving } from "../files/uploads/upload-record.ts";
import { endOf } from "./form/limit-fields.tsx";
import { chosenItems, type ShareValues } from "./form/share-values.ts";
import { Entries } from "./page/share-entries.tsx";
import { choicesQuery } from "./share-queries.ts";
import classes from "./shares.module.css";

/** What visitors will see first. */
export function SharePreview({ values }: { values: ShareValues }) {
  const { use, title, message, isProtected, expires } = values;
  const isDrop = use === "drop";
  const end = endOf(expires);
  const chosen = chosenItems(values);
  const only = chosen.length === 1 ? chosen[0] : undefined;
  const name = title.trim() || (isDrop ? undefined : only?.name);
  return (
    <section aria-hidden className={classes["preview"]}>
      <Text size="sm" c="dimmed" mb="xs">
        <Trans>What visitors see</Trans>
      </Text>
      <Paper withBorder radius="md" p="lg">
        <Stack gap="sm">
          <Text fw={600} size="lg" lh={1.3} style={{ overflowWrap: "anywhere" }}>
            <bdi>{name || (isDrop ? <Trans>Send files</Trans> : <Trans>Shared files</Trans>)}</bdi>
          </Text>
          {message !== "" && (
            <Text size="sm" style={{ whiteSpace: "pre-line", overflowWrap: "anywhere" }}>
              {message}
            </Text>
          )}
          {!isDrop && <Contents values={values} />}
          <Button component="span" style={{ alignSelf: "start", pointerEvents: "none" }}>
            {isDrop ? (
              <Trans>Send files</Trans>
            ) : only?.kind === "file" ? (
              <Trans>Download</Trans>
            ) : (
              <Trans>Download all</Trans>
            )}
          </Button>
          <Text size="xs" c="dimmed">
            {isProtected && (
              <>
                <Trans>After a password</Trans> ·{" "}
              </>
            )}
            {end === "" ? <Trans>It never expires.</Trans> : <Trans>Until {formatDate(end)}</Trans>}
          </Text>
        </Stack>
      </Paper>
    </section>
  );
}

/** What is in the folder and what is on its way into it, or what is chosen. */
function Contents({ values }: { values: ShareValues }) {
  const { item } = values;
  const folder = item?.kind === "folder" ? item.id : null;
  const { data } = useQuery({ ...choicesQuery(folder), enabled: folder !== null });
  const sent = useUploadItems().filter((one) => one.record.folder === folder && isMoving(one));
  const entries: Entry[] =
    folder === null
      ? chosenItems(values).map((one) => ({ ...UNKNOWN_DETAILS, ...one }))
      : [
          ...(data === undefined ? [] : entriesOf(data)),
          ...sent.map(({ record: { path, size } }, nth) => ({
            ...UNKNOWN_DETAILS,
            kind: "file" as const,
            id: -nth,
            name: path,
            size,
          })),
        ];
  return entries.length > 0 && <Entries entries={entries} />;
}
