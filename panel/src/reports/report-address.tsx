import { useLingui } from "@lingui/react/macro";
import { Anchor, Button, Group } from "@mantine/core";
import { useCopy } from "../ui/copy/copy-state.ts";

/** The address, to open and to copy. */
export function ReportAddress({ address, isFocused = false }: { address: string; isFocused?: boolean }) {
  const { t } = useLingui();
  const { isCopied, copy } = useCopy(address);
  return (
    <Group gap="xs" wrap="nowrap">
      <Anchor
        href={address}
        target="_blank"
        rel="noreferrer noopener"
        size="sm"
        style={{ overflowWrap: "anywhere", minWidth: 0 }}
      >
        {address.replace(/^https?:\/\//, "")}
      </Anchor>
      <Button
        size="compact-xs"
        variant="light"
        flex="none"
        aria-label={t`Copy ${address}`}
        onClick={copy}
        {...(isFocused && { "data-autofocus": true, autoFocus: true })}
      >
        {isCopied ? t`Copied` : t`Copy`}
      </Button>
    </Group>
  );
}
