import { Plural } from "@lingui/react/macro";
import { Group, Text } from "@mantine/core";
import { formatBytes } from "../../base/i18n.ts";
import { type Entry, entryKey } from "../../files/file-queries.ts";
import { Thumbnail } from "../../files/list/thumbnail.tsx";
import classes from "../shares.module.css";

/** The most entries of a folder that are shown; its own page has all. */
const MOST_SHOWN = 6;

export function Entries({ entries }: { entries: readonly Entry[] }) {
  const more = entries.length - MOST_SHOWN;
  return (
    <ul className={classes["entries"]}>
      {entries.slice(0, MOST_SHOWN).map((entry) => (
        <li key={entryKey(entry)}>
          <Group gap="xs" wrap="nowrap">
            <Thumbnail entry={entry} size={18} />
            <Text size="sm" truncate flex={1}>
              <bdi>{entry.name}</bdi>
            </Text>
            {entry.size !== null && (
              <Text size="xs" c="dimmed" flex="none">
                {formatBytes(entry.size)}
              </Text>
            )}
          </Group>
        </li>
      ))}
      {more > 0 && (
        <Text component="li" size="xs" c="dimmed">
          <Plural value={more} one="and # more" other="and # more" />
        </Text>
      )}
    </ul>
  );
}
