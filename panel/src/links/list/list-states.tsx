import { Plural, Trans } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { ButtonLink } from "../../ui/button-link.tsx";
import { Empty } from "../../ui/empty.tsx";
import { LoadFailure } from "../../ui/load-failure.tsx";
import { gridOf, type LinkColumn } from "./columns.ts";
import classes from "./list.module.css";

type FailedProps = {
  error: Error;
  onRetry(): void;
  /** Above rows that are already known. */
  isOver?: boolean;
};

export const FailedLinks = ({ error, onRetry, isOver }: FailedProps) => (
  <LoadFailure error={error} onRetry={onRetry} m="md" className={isOver ? classes["over"]! : ""} />
);

const BONES = 12;

/** As high as the rows to come. */
export function LoadingLinks({ columns, height }: { columns: readonly LinkColumn[]; height: number }) {
  return (
    <div aria-busy className={classes["scroller"]} style={gridOf(columns)}>
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

type NoProps = { isFiltered: boolean; leftCount: number; onClear(): void; onCreate(): void };

export const NoRows = ({ isFiltered, leftCount, onClear, onCreate }: NoProps) =>
  isFiltered ? (
    <Empty
      title={<Trans>No link matches.</Trans>}
      sentence={
        leftCount > 0 ? (
          <Plural
            value={leftCount}
            one="# link was changed and no longer matches the search or filters."
            other="# links were changed and no longer match the search or filters."
          />
        ) : undefined
      }
    >
      <Button variant="default" onClick={onClear}>
        <Trans>Show all links</Trans>
      </Button>
      {leftCount > 1 && (
        <ButtonLink to="/links/changes" variant="default">
          <Trans>Undo in Bulk changes</Trans>
        </ButtonLink>
      )}
    </Empty>
  ) : (
    <Empty
      title={<Trans>There are no links yet.</Trans>}
      sentence={<Trans>A link leads from a short URL to its target, and counts who passes.</Trans>}
    >
      <Button onClick={onCreate}>
        <Trans>Create the first link</Trans>
      </Button>
    </Empty>
  );
