import { Trans } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { useCopy } from "./copy-state.ts";

/** For a notice with an address. */
export function CopyAction({ address }: { address: string }) {
  const { isCopied, copy } = useCopy(address);
  return (
    <Button size="compact-xs" variant="light" onClick={copy}>
      {isCopied ? <Trans>Copied</Trans> : <Trans>Copy</Trans>}
    </Button>
  );
}
