import { Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon, Button, Group, Text } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { File as StoredFile, FileVersion } from "../../base/api.ts";
import { formatBytes, formatTime } from "../../base/i18n.ts";
import { ConfirmButton } from "../../ui/forms/confirm-button.tsx";
import classes from "./preview.module.css";
import { VersionChanges } from "./version-changes.tsx";
import { deleteVersion, restoreVersion, versionAddress, versionsQuery } from "./version-queries.ts";
import { Parts } from "../../ui/lists/parts.tsx";
import { PersonName } from "../../ui/person-name.tsx";

/** Nothing while the file has no former contents. */
export function FileVersions({ file, mayChange }: { file: StoredFile; mayChange: boolean }) {
  const { data: versions = [] } = useQuery(versionsQuery(file.id, file.sha256));
  if (versions.length === 0) return null;
  return (
    <section>
      <Text component="h3" size="sm" fw={600} mt="md">
        <Trans>Versions</Trans>
      </Text>
      <ul className={classes["versions"]}>
        {versions.map((version) => (
          <Version key={version.id} file={file} version={version} mayChange={mayChange} />
        ))}
      </ul>
    </section>
  );
}

type Props = { file: StoredFile; version: FileVersion; mayChange: boolean };

function Version({ file, version, mayChange }: Props) {
  const { t } = useLingui();
  const [isCompared, setIsCompared] = useState(false);
  const { id, size, created_by: author } = version;
  const time = formatTime(version.created_at);
  const isText = [file, version].every(({ mime_type: type }) => type.startsWith("text/"));
  return (
    <li>
      <Group justify="space-between" gap="xs">
        <Text size="sm">
          <Parts>
            {time}
            {formatBytes(size)}
            {author !== null && <PersonName of={author} />}
          </Parts>
        </Text>
        <Group gap={4}>
          {isText && (
            <Button
              size="compact-sm"
              variant="subtle"
              aria-expanded={isCompared}
              aria-label={t`Compare the version of ${time}`}
              onClick={() => setIsCompared(!isCompared)}
            >
              <Trans>Compare</Trans>
            </Button>
          )}
          <ActionIcon
            component="a"
            href={versionAddress(file.id, id)}
            variant="subtle"
            aria-label={t`Download the version of ${time}`}
            title={t`Download`}
          >
            <IconDownload size={16} />
          </ActionIcon>
          {mayChange && (
            <>
              <ConfirmButton
                label={t`Restore`}
                of={time}
                question={t`The file gets this content back. What is in it now is kept as a version.`}
                list="files"
                color="brand"
                run={() => restoreVersion(file.id, id)}
              />
              <ConfirmButton
                label={t`Delete`}
                of={time}
                question={t`This version will be deleted for good.`}
                list="files"
                run={() => deleteVersion(file.id, id)}
              />
            </>
          )}
        </Group>
      </Group>
      {isCompared && <VersionChanges file={file} version={version} />}
    </li>
  );
}
