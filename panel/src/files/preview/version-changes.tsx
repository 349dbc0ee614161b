import { Plural, Trans } from "@lingui/react/macro";
import { Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { File as StoredFile, FileVersion } from "../../base/api.ts";
import { formatBytes } from "../../base/i18n.ts";
import { FailedList } from "../list/list-states.tsx";
import { lineChanges, nearChanges } from "./line-changes.ts";
import classes from "./preview.module.css";
import { TEXT_PREVIEW_BYTES } from "./preview-queries.ts";
import { comparedQuery } from "./version-queries.ts";

const MARKS = { same: " ", gone: "−", new: "+" } as const;

/** What has changed since, line by line, in the beginnings of both. */
export function VersionChanges({ file, version }: { file: StoredFile; version: FileVersion }) {
  const { data, error, refetch } = useQuery(comparedQuery(file, version));
  const changes = useMemo(() => data && nearChanges(lineChanges(...data)), [data]);
  if (error !== null) return <FailedList error={error} onRetry={() => void refetch()} />;
  if (changes === undefined) return <Skeleton height={80} />;
  if (changes.every(({ kind }) => kind === "folded")) {
    return (
      <Text size="sm">
        <Trans>The file has the same content now.</Trans>
      </Text>
    );
  }
  return (
    <>
      <Text size="xs" c="dimmed">
        <Trans>− only in this version, + only in the file as it is now</Trans>
      </Text>
      <pre className={classes["changes"]} tabIndex={0}>
        {changes.map((change, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines do not move
          <span key={at} data-kind={change.kind}>
            {change.kind === "folded" ? (
              <Plural value={change.count} one="# unchanged line" other="# unchanged lines" />
            ) : (
              `${MARKS[change.kind]} ${change.line}`
            )}
            {"\n"}
          </span>
        ))}
      </pre>
      {Math.max(file.size, version.size) > TEXT_PREVIEW_BYTES && (
        <Text size="xs" c="dimmed">
          <Trans>Only the first {formatBytes(TEXT_PREVIEW_BYTES)} are compared.</Trans>
        </Text>
      )}
    </>
  );
}
