import { Trans, useLingui } from "@lingui/react/macro";
import { Button, FileButton, Stack, Text } from "@mantine/core";
import { IconFileTypeCsv } from "@tabler/icons-react";
import { useDropZone } from "../../ui/forms/use-drop-zone.ts";
import { useNoStrayDrops } from "../../ui/stray-drops.ts";
import classes from "./csv.module.css";
import { chooseCsv } from "./import-state.ts";

const TYPES = ".csv,.tsv,.txt,text/csv,text/tab-separated-values";

/** Takes one CSV file, chosen or dropped. */
export function FileDrop() {
  const { t } = useLingui();
  useNoStrayDrops();
  const take = (file: File | null | undefined): void => {
    if (file) void chooseCsv(file);
  };
  const zone = useDropZone((dropped) => take(dropped.files[0]));
  return (
    <div className={classes["drop"]} role="group" aria-label={t`CSV file`} {...zone}>
      <Stack align="center" gap="sm" ta="center">
        <IconFileTypeCsv size={32} stroke={1.5} aria-hidden />
        <Text fw={600}>
          <Trans>Drop a CSV file here</Trans>
        </Text>
        <FileButton onChange={take} accept={TYPES}>
          {(props) => (
            <Button {...props}>
              <Trans>Choose a file</Trans>
            </Button>
          )}
        </FileButton>
        <Text size="sm" c="dimmed" maw={460}>
          <Trans>
            The first line names the columns; only the target is needed, and links without a code get a random
            one. You see what will happen before anything is written.
          </Trans>
        </Text>
      </Stack>
    </div>
  );
}
