import { Trans } from "@lingui/react/macro";
import { Text } from "@mantine/core";
import type { Link } from "../../base/api.ts";
import { isAddress, TargetUse } from "../target-use.tsx";
import classes from "./settings.module.css";

/** What the code leads to now. */
export function LinkUse({ link: { target } }: { link: Link }) {
  return (
    <div className={classes["row"]}>
      <div>
        <Text size="sm" fw={500}>
          <Trans>Leads to</Trans>
        </Text>
        <Text size="xs" c="dimmed">
          <Trans>
            A code can change from a target to a share or a drop box and back, under a printed QR code.
          </Trans>
        </Text>
      </div>
      <Text size="sm">{isAddress(target) ? <Trans>The target</Trans> : <TargetUse target={target} />}</Text>
      <span />
    </div>
  );
}
