import { useLingui } from "@lingui/react/macro";
import { SimpleGrid, Skeleton, Text } from "@mantine/core";
import { formatNumber } from "../../base/i18n.ts";
import classes from "./csv.module.css";
import type { ImportWork } from "./import-state.ts";

/** How many rows become what, or became. */
export function ImportCounts({ work, isDone }: { work: ImportWork; isDone: boolean }) {
  const { t } = useLingui();
  const { result, step } = work;
  const overwritten = result?.overwritten_count ?? 0;
  const counts = [
    { label: isDone ? t`Made` : t`New`, count: (result?.success_count ?? 0) - overwritten },
    { label: t`Overwritten`, count: overwritten },
    { label: t`Skipped`, count: result?.skipped_count ?? 0 },
    { label: t`Failed`, count: result?.failed_count ?? 0, isBad: true },
  ];
  return (
    <SimpleGrid
      cols={{ base: 2, xs: 4 }}
      spacing="xs"
      role="group"
      aria-label={isDone ? t`What happened` : t`What will happen`}
      aria-busy={step !== null}
    >
      {counts.map(({ label, count, isBad }) => (
        <div key={label} className={classes["count"]}>
          <Text size="xs" c="dimmed">
            {label}
          </Text>
          <Skeleton visible={result === null} mih={28}>
            <Text fz="lg" fw={650} {...(isBad && count > 0 && { c: "var(--mantine-color-error)" })}>
              {formatNumber(count)}
            </Text>
          </Skeleton>
        </div>
      ))}
    </SimpleGrid>
  );
}
