import { Trans } from "@lingui/react/macro";
import { Button, Loader, Paper } from "@mantine/core";
import { useConnection } from "../base/connection.ts";
import styles from "./connection-bar.module.css";

/** Says that the server is away, or that it has a newer panel. It does not move the page. */
export function ConnectionBar() {
  const { state, isOutdated } = useConnection();
  return (
    <div role="status" className={styles["place"]}>
      {state !== "online" && (
        <Paper withBorder shadow="md" className={styles["bar"]}>
          <Loader size={14} aria-hidden />
          <span>
            {state === "offline" ? (
              <Trans>No network. The panel continues when it is back.</Trans>
            ) : (
              <Trans>The server can't be reached. The panel continues when it answers.</Trans>
            )}
          </span>
        </Paper>
      )}
      {state === "online" && isOutdated && (
        <Paper withBorder shadow="md" className={styles["bar"]}>
          <span>
            <Trans>A new version of the panel is there.</Trans>
          </span>
          <Button size="compact-sm" variant="light" onClick={() => window.location.reload()}>
            <Trans>Reload</Trans>
          </Button>
        </Paper>
      )}
    </div>
  );
}
