import { useLingui } from "@lingui/react/macro";
import { Anchor, Button, Group, Paper } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { useCopy } from "../ui/copy/copy-state.ts";
import classes from "./shares.module.css";

/** The address, to open and to copy. */
export function ShareAddress({ address, isFocused }: { address: string; isFocused?: boolean }) {
  const { t } = useLingui();
  const { isCopied, copy } = useCopy(address);
  return (
    <Paper withBorder radius="md">
      <Group gap={4} wrap="nowrap" pr={4}>
        <Anchor href={address} target="_blank" rel="noreferrer noopener" className={classes["address"]}>
          {address.replace(/^https?:\/\//, "")}
        </Anchor>
        <Button
          size="compact-md"
          variant={isCopied ? "light" : "filled"}
          color={isCopied ? "green" : "brand"}
          leftSection={isCopied ? <IconCheck size={16} /> : <IconCopy size={16} />}
          onClick={copy}
          {...(isFocused && { "data-autofocus": true, autoFocus: true })}
        >
          {isCopied ? t`Copied` : t`Copy`}
        </Button>
      </Group>
    </Paper>
  );
}
