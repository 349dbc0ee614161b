import { Trans } from "@lingui/react/macro";
import { Box, Center, Group, Skeleton } from "@mantine/core";
import { type ReactNode, useEffect, useRef } from "react";
import { ApiError } from "../../base/api.ts";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { Empty } from "../../ui/empty.tsx";
import { LoadFailure } from "../../ui/load-failure.tsx";
import { isFocusLost } from "../../ui/focus-back.ts";
import { inTree } from "../../ui/tree-names.ts";
import classes from "./files.module.css";

const ROWS = 12;

/** As high as the rows to come. */
function LoadingEntries() {
  return (
    <div className={classes["scroller"]} aria-busy>
      <div className={classes["head"]} />
      {Array.from({ length: ROWS }, (_, at) => (
        <div key={at} className={classes["head"]} style={{ position: "static" }}>
          <span />
          <Skeleton height={14} width={`${60 - ((at * 17) % 40)}%`} />
        </div>
      ))}
    </div>
  );
}

export const FailedList = ({ error, onRetry }: { error: Error; onRetry(): void }) => (
  <Box flex={1}>
    <LoadFailure error={error} onRetry={onRetry} m="md">
      <AnchorLink to="/files" search={{}} size="sm">
        <Trans>All files</Trans>
      </AnchorLink>
    </LoadFailure>
  </Box>
);

/** Meanwhile somebody put it into the trash, perhaps in another tab. */
const GoneFolder = () => (
  <Center flex={1} p="md" style={{ borderTop: "1px solid var(--mantine-color-default-border)" }}>
    <Empty
      title={<Trans>This folder is no longer here.</Trans>}
      sentence={<Trans>It was moved to the trash or deleted. From the trash it can be put back.</Trans>}
    >
      <Group justify="center" gap="md">
        <AnchorLink from="/files" to="/files/trash" search={({ team }) => inTree(team)} size="sm">
          <Trans>Open the trash</Trans>
        </AnchorLink>
        <AnchorLink from="/files" to="/files" search={({ team }) => inTree(team)} size="sm">
          <Trans>All files</Trans>
        </AnchorLink>
      </Group>
    </Empty>
  </Center>
);

type EmptyProps = { isSearch: boolean; mayChange: boolean; takesFocus: boolean; onUp(): void };

function EmptyList({ isSearch, mayChange, takesFocus, onUp }: EmptyProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (takesFocus && isFocusLost()) place.current?.focus({ preventScroll: true });
  }, [takesFocus]);
  return (
    <Center
      ref={place}
      tabIndex={-1}
      onKeyDown={(event) => event.key === "Backspace" && onUp()}
      flex={1}
      p="md"
      style={{ borderTop: "1px solid var(--mantine-color-default-border)" }}
    >
      {isSearch ? (
        <Empty
          title={<Trans>No name matches.</Trans>}
          sentence={<Trans>The search finds files and folders by part of their name.</Trans>}
        />
      ) : (
        <Empty
          title={<Trans>This folder is empty.</Trans>}
          sentence={mayChange && <Trans>Drop files and folders here, or use the button above.</Trans>}
        />
      )}
    </Center>
  );
}

type StatesProps = EmptyProps & {
  error: Error | null;
  /** Undefined: not known yet. */
  entries: readonly unknown[] | undefined;
  onRetry(): void;
  /** The entries. */
  children: ReactNode;
};

/** What stands where there are no entries to show. */
export function ListStates({ error, entries, onRetry, children, ...empty }: StatesProps) {
  if (error instanceof ApiError && error.status === 404) return <GoneFolder />;
  if (entries === undefined) {
    return error === null ? <LoadingEntries /> : <FailedList error={error} onRetry={onRetry} />;
  }
  return entries.length === 0 ? <EmptyList {...empty} /> : children;
}
