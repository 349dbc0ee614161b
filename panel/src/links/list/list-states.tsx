import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Center, Group, Stack, Text } from "@mantine/core";
import type { CSSProperties } from "react";
import { LoadFailure } from "../../ui/load-failure.tsx";
import { gridOf, type LinkColumn } from "./columns.ts";
import classes from "./list.module.css";

type FailedProps = {
  error: Error;
  onRetry(): void;
  /** Above rows that are known already. */
  isOver?: boolean;
};

export const FailedRows = ({ error, onRetry, isOver }: FailedProps) => (
  <LoadFailure error={error} onRetry={onRetry} m="md" className={isOver ? classes["over"]! : ""} />
);

const BONES = 12;

/** As high as what comes. */
export function LoadingRows({ columns, height }: { columns: readonly LinkColumn[]; height: number }) {
  const { t } = useLingui();
  return (
    <div
      role="status"
      aria-label={t`Loading the links`}
      className={classes["scroller"]}
      style={{ "--columns": gridOf(columns) } as CSSProperties}
    >
      <div className={classes["head"]} />
      {Array.from({ length: BONES }, (_, nth) => (
        <div key={nth} className={classes["row"]} style={{ height }}>
          <div className={classes["check"]} />
          {columns.map(({ name }) => (
            <div key={name} data-cell={name} className={classes["cell"]}>
              <span className={classes["bone"]} />
            </div>
          ))}
          <div />
        </div>
      ))}
    </div>
  );
}

type NoProps = { isFiltered: boolean; onClear(): void; onCreate(): void };

export function NoRows({ isFiltered, onClear, onCreate }: NoProps) {
  return (
    <Center flex={1} p="md">
      <Stack gap="xs" align="center" ta="center" maw={420}>
        <Text fw={600}>
          {isFiltered ? <Trans>No link matches</Trans> : <Trans>There are no links yet</Trans>}
        </Text>
        <Text c="dimmed" size="sm">
          {isFiltered ? (
            <Trans>Change the search or the filters.</Trans>
          ) : (
            <Trans>A link leads from a short address to a long one, and counts who passes.</Trans>
          )}
        </Text>
        <Group mt="xs">
          {isFiltered ? (
            <Button variant="default" onClick={onClear}>
              <Trans>Show all links</Trans>
            </Button>
          ) : (
            <Button onClick={onCreate}>
              <Trans>Make the first link</Trans>
            </Button>
          )}
        </Group>
      </Stack>
    </Center>
  );
}
