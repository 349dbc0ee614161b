import { Trans } from "@lingui/react/macro";
import { formatDate, formatTime } from "../../base/i18n.ts";
import { serverNow } from "../../base/server-clock.ts";

/** The day, and the time unless the day ends with it. */
function formatEnd(instant: string): string {
  const date = new Date(instant);
  return date.getHours() === 23 && date.getMinutes() === 59 ? formatDate(instant) : formatTime(instant);
}

/** When a share ends, or ended. */
export const ShareEnd = ({ expires }: { expires: string }) =>
  Date.parse(expires) > serverNow() ? (
    <Trans>Ends on {formatEnd(expires)}</Trans>
  ) : (
    <Trans>Ended on {formatEnd(expires)}</Trans>
  );
