import { Plural, useLingui } from "@lingui/react/macro";
import type { Share } from "../../base/api.ts";
import { formatBytes, formatNumber } from "../../base/i18n.ts";
import classes from "../shares.module.css";

/** How much of a share or box is used. */
export function ShareUsage({ share, isInLine = false }: { share: Share; isInLine?: boolean }) {
  const { t } = useLingui();
  const { drop, downloads, max_downloads: most } = share;
  if (share.kind === "drop" && drop !== null) {
    const [files, mostFiles] = [formatNumber(drop.files), formatNumber(drop.max_files)];
    const [bytes, mostBytes] = [formatBytes(drop.bytes), formatBytes(drop.max_bytes)];
    return (
      <>
        <span className={classes["number"]}>{t`${files} of ${mostFiles} files`}</span>
        {isInLine ? " · " : <br />}
        <span className={classes["number"]}>{t`${bytes} of ${mostBytes}`}</span>
      </>
    );
  }
  if (most === null) {
    return (
      <span className={classes["number"]} title={t`Downloads include those by bots.`}>
        <Plural value={downloads} one="# download" other="# downloads" />
      </span>
    );
  }
  const [left, all] = [formatNumber(Math.max(0, most - downloads)), formatNumber(most)];
  return <>{t`${left} of ${all} downloads left`}</>;
}
