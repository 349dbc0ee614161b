import { Trans } from "@lingui/react/macro";
import { formatDate } from "../../base/i18n.ts";
import { serverNow } from "../../base/server-clock.ts";

/** When a share ends, or ended. */
export const ShareEnd = ({ expires }: { expires: string }) =>
  Date.parse(expires) > serverNow() ? (
    <Trans>Ends on {formatDate(expires)}</Trans>
  ) : (
    <Trans>Ended on {formatDate(expires)}</Trans>
  );
