import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { SimpleGrid, Text } from "@mantine/core";
import type { ProductImport } from "../../base/api.ts";
import { formatNumber } from "../../base/i18n.ts";
import classes from "../csv/csv.module.css";

/** What comes, or has come. */
export function MoveCounts({ move: { counts, state } }: { move: ProductImport }) {
  const { t } = useLingui();
  const left = counts.links_skipped + counts.links_refused;
  const shown = [
    { label: t`Links`, count: counts.links_imported },
    { label: t`All clicks`, count: counts.clicks_imported },
    { label: t`Disabled`, count: counts.links_disabled },
    { label: t`Left out`, count: left, isBad: true },
  ];
  const undated = counts.clicks_without_date;
  return (
    <>
      <SimpleGrid
        cols={{ base: 2, xs: 4 }}
        spacing="xs"
        role="group"
        aria-label={state === "previewed" ? t`What will be imported` : t`What was imported`}
      >
        {shown.map(({ label, count, isBad }) => (
          <div key={label} className={classes["count"]}>
            <Text size="xs" c="dimmed">
              {label}
            </Text>
            <Text fz="lg" fw={650} {...(isBad && count > 0 && { c: "var(--mantine-color-error)" })}>
              {formatNumber(count)}
            </Text>
          </div>
        ))}
      </SimpleGrid>
      {undated > 0 && (
        <Text size="sm" c="dimmed">
          <Plural
            value={undated}
            one="# click has no date: it counts, but appears in no chart."
            other="# clicks have no date: they count, but appear in no chart."
          />
        </Text>
      )}
      {(counts.links_removed > 0 || counts.links_kept > 0) && (
        <Text size="sm">
          <Trans>
            Removed: {formatNumber(counts.links_removed)}. Kept because they were changed since:{" "}
            {formatNumber(counts.links_kept)}.
          </Trans>
        </Text>
      )}
    </>
  );
}
