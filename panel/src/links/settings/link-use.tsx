import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Text } from "@mantine/core";
import type { Link } from "../../base/api.ts";
import { useChangeUse } from "../../shares/change-use.tsx";
import { isAddress, TargetUse } from "../target-use.tsx";
import classes from "./settings.module.css";

/** What the code leads to now. Codes of the default domain can change it. */
export function LinkUse({ link }: { link: Link }) {
  const { t } = useLingui();
  const { begin, dialog } = useChangeUse(link);
  const { target } = link;
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
      <Text size="sm" className={classes["value"]}>
        {isAddress(target) ? <Trans>The target</Trans> : <TargetUse target={target} />}
      </Text>
      {link.domain === null && (
        <Button
          className={classes["edit"]}
          size="compact-sm"
          variant="subtle"
          color="gray"
          aria-label={t`Change what it leads to`}
          onClick={begin}
        >
          <Trans>Change</Trans>
        </Button>
      )}
      {dialog}
    </div>
  );
}
