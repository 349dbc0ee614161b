import { Trans, useLingui } from "@lingui/react/macro";
import type { Event } from "../../base/api.ts";
import { formatBytes } from "../../base/i18n.ts";

/** Whether the event tells of a file that came into a drop box. */
export const isReceived = ({ action, after }: Event): boolean =>
  action === "drop.received" && typeof after?.["name"] === "string";

/** Who sent it: the name that the sender gave, if any. */
export function useSender(): (event: Event) => string {
  const { t } = useLingui();
  return ({ after = {} }) => {
    const given = [after?.["sender_name"], after?.["sender_email"]].find((one) => typeof one === "string");
    return given === undefined ? t`A visitor` : String(given);
  };
}

/** "Anna sent IMG_4006.jpg (3.1 MB) to Photo contest". */
export function Received({ event }: { event: Event }) {
  const senderOf = useSender();
  const { subject, after = {} } = event;
  const sender = <bdi>{senderOf(event)}</bdi>;
  const file = <bdi>{String(after["name"])}</bdi>;
  const size = formatBytes(Number(after["size"] ?? 0));
  const box = <bdi>{typeof after["title"] === "string" ? after["title"] : subject}</bdi>;
  return (
    <Trans>
      {sender} sent {file} ({size}) to {box}
    </Trans>
  );
}
