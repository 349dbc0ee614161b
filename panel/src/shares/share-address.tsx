import { useLingui } from "@lingui/react/macro";
import { Anchor, Button, Group, Paper } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import classes from "./shares.module.css";

/** The address, to open and to copy. */
export function ShareAddress({ address, isFocused }: { address: string; isFocused?: boolean }) {
  const { t } = useLingui();
  const { copied, copy } = useClipboard({ timeout: 2000 });
  return (
    <Paper withBorder radius="md">
      <Group gap={4} wrap="nowrap" pr={4}>
        <Anchor href={address} target="_blank" rel="noreferrer noopener" className={classes["address"]}>
          {address.replace(/^https?:\/\//, "")}
        </Anchor>
        <Button
          size="compact-md"
          variant={copied ? "light" : "filled"}
          color={copied ? "green" : "brand"}
          leftSection={copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
          onClick={() => copy(address)}
          {...(isFocused && { "data-autofocus": true, autoFocus: true })}
        >
          {copied ? t`Copied` : t`Copy`}
        </Button>
      </Group>
    </Paper>
  );
}
