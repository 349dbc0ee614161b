import { Trans } from "@lingui/react/macro";
import { Alert } from "@mantine/core";
import { SettingLink } from "../../config/setting-link.tsx";
import classes from "./qr.module.css";

const MACHINE = /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1?\])$/;
const NETWORK = /^(?:10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|\[f[cde]|[^.[]+$|.+\.local$)/;

/** Before a code is printed that few people could open. */
export function ReachWarning({ url }: { url: string }) {
  const { hostname } = new URL(url);
  const isMachine = MACHINE.test(hostname);
  if (!isMachine && !NETWORK.test(hostname)) return null;
  const setting = <SettingLink settingKey="features.public_url" />;
  return (
    <Alert color="yellow" variant="light" role="note" className={classes["warning"]!}>
      {isMachine ? (
        <Trans>
          The code leads to {hostname}, which is a different machine for everyone who scans it. Set “{setting}
          ” before you print it.
        </Trans>
      ) : (
        <Trans>
          The code leads to {hostname}, which only works in your network. Set “{setting}” before you print it.
        </Trans>
      )}
    </Alert>
  );
}
