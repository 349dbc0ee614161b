import { useLingui } from "@lingui/react/macro";
import type { Webhook, WebhookDelivery } from "../base/api.ts";

export type EventName = Webhook["events"][number];

/** In the order of the form. */
export function useEventNames(): Record<EventName, string> {
  const { t } = useLingui();
  return {
    "link.created": t`Link created`,
    "link.updated": t`Link changed`,
    "link.deleted": t`Link deleted`,
    "link.restored": t`Link restored`,
    "link.threshold": t`Link has reached its number of clicks`,
    "link.target_dead": t`Target of a link does not answer`,
    "share.created": t`Share or drop box made`,
    "share.downloaded": t`Share downloaded`,
    "share.ended": t`Share ended, expired or used up`,
    "drop.received": t`File in a drop box`,
    "account.created": t`Account created`,
    "account.disabled": t`Account disabled`,
    "token.created": t`API token created`,
    "token.revoked": t`API token revoked`,
    "setting.changed": t`Setting changed`,
  };
}

export function useDeliveryStates(): Record<WebhookDelivery["state"], string> {
  const { t } = useLingui();
  return {
    waiting: t({ message: "Waiting", context: "delivery" }),
    sending: t({ message: "Being sent", context: "delivery" }),
    delivered: t`Delivered`,
    failed: t({ message: "Failed", context: "delivery" }),
  };
}
