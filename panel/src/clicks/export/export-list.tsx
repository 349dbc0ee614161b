import { Trans } from "@lingui/react/macro";
import { UnstyledButton } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import classes from "../clicks.module.css";
import type { Dimension } from "../dimensions.ts";
import type { Frame } from "../frame.ts";
import { useExport } from "./use-export.ts";

type Props = { dimension: Dimension; title: string; frame: Frame };

/** Saves one list as CSV, with the rows that are not shown. */
export function ExportList({ dimension, title, frame }: Props) {
  const queries = useQueryClient();
  const run = useExport();
  return (
    <UnstyledButton
      className={`${classes["more"]} ${classes["export"]}`}
      onClick={() => run((part) => part.downloadList(queries, frame, dimension, title))}
    >
      <Trans>Export this list</Trans>
    </UnstyledButton>
  );
}
