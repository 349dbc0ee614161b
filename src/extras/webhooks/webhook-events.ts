/** The events of webhooks, and from which events (events/event.ts) it follows. Clicks are no events. */
import { z } from "zod";
import { isInternal, isReport } from "../../links/link/internal-target.ts";

const state = z.record(z.string(), z.unknown());

/** What it means, and fields of `after` that are always there. */
type EventDefinition = { meaning: string; after?: Record<string, z.ZodType>; hasBefore?: true };

export const WEBHOOK_EVENTS = {
  "link.created": { meaning: "A link was created." },
  "link.updated": {
    meaning: "A link was changed, approved, refused, taken down or reinstated, or became a share or report.",
    hasBefore: true,
  },
  "link.deleted": { meaning: "A link was deleted.", hasBefore: true },
  "link.restored": { meaning: "A deleted link was put back." },
  "link.threshold": {
    meaning: "A link has as many clicks as its click_threshold.",
    after: { clicks: z.int() },
  },
  "link.target_dead": {
    meaning: "The target of a link does not answer any more.",
    after: { target: z.string(), problem: z.string().optional() },
  },
  "share.created": { meaning: "A share or drop box was created, or a link became one." },
  "share.downloaded": {
    meaning: "A download from a share has ended well.",
    after: { title: z.string().optional(), max_downloads: z.int().optional() },
  },
  "share.ended": {
    meaning:
      "A share or drop box was ended or became a link (with its state before), has expired, or is used up (with the reason).",
  },
  "drop.received": {
    meaning: "A drop box has received a file.",
    after: { file_id: z.int(), folder_id: z.int(), name: z.string(), size: z.int() },
  },
  "account.created": {
    meaning: "An account was created.",
    after: { username: z.string(), role: z.string() },
  },
  "account.disabled": {
    meaning: "An account was disabled.",
    after: { username: z.string(), role: z.string(), disabled: z.literal(true) },
    hasBefore: true,
  },
  "token.created": { meaning: "An API token was created." },
  "token.revoked": { meaning: "An API token was revoked.", hasBefore: true },
  "setting.changed": { meaning: "A run-time setting was changed; secrets are masked." },
} as const satisfies Record<string, EventDefinition>;

export type WebhookEventName = keyof typeof WEBHOOK_EVENTS;
export const WEBHOOK_EVENT_NAMES = Object.keys(WEBHOOK_EVENTS) as [WebhookEventName, ...WebhookEventName[]];

/** An action that is recorded for webhooks alone, while one subscribes to it. */
export const DOWNLOADED = "share.downloaded";
export const ENDED = "share.ended";

const NAME_OF_ACTION = new Map<string, WebhookEventName>([
  ["link.create", "link.created"],
  ["link.update", "link.updated"],
  ["link.approve", "link.updated"],
  ["link.refuse", "link.updated"],
  ["link.take_down", "link.updated"],
  ["link.reinstate", "link.updated"],
  ["link.delete", "link.deleted"],
  ["link.restore", "link.restored"],
  ["link.threshold", "link.threshold"],
  ["link.target_dead", "link.target_dead"],
  ["share.create", "share.created"],
  [DOWNLOADED, "share.downloaded"],
  ["share.delete", "share.ended"],
  [ENDED, "share.ended"],
  ["drop.received", "drop.received"],
  ["account.create", "account.created"],
  ["token.create", "token.created"],
  ["token.revoke", "token.revoked"],
  ["setting.update", "setting.changed"],
]);

type Happened = { action: string; before?: object | null | undefined; after?: object | null | undefined };

/** Returns the events of webhooks for what happened; a webhook gets the first one that it subscribes to. */
export function webhookEventsOf({ action, before, after }: Happened): WebhookEventName[] {
  if (action === "account.update")
    return isDisabled(after) && !isDisabled(before) ? ["account.disabled"] : [];
  const name = NAME_OF_ACTION.get(action);
  const target = formerTarget(before);
  if (target !== null) {
    if (action === "share.update" && !isInternal(target)) return ["link.updated", "share.created"];
    if (action === "report.update" && !isInternal(target)) return ["link.updated"];
    if (action === "link.update" && isInternal(target) && !isReport(target))
      return ["link.updated", "share.ended"];
  }
  return name === undefined ? [] : [name];
}

/** Null if the target has not changed. */
const formerTarget = (before: { target?: unknown } | null | undefined): string | null =>
  typeof before?.target === "string" ? before.target : null;

const isDisabled = (account: { disabled?: unknown } | null | undefined): boolean =>
  account?.disabled === true;

/** The bodies by event. `data` of a body is the event as GET {v1}/events returns it. */
export const webhookBodies = (event: z.ZodObject) =>
  Object.fromEntries(
    WEBHOOK_EVENT_NAMES.map((name) => {
      const { meaning, after, hasBefore }: EventDefinition = WEBHOOK_EVENTS[name];
      const data = event.extend({
        ...(hasBefore && { before: state }),
        ...(after !== undefined && { after: z.looseObject(after) }),
      });
      const timestamp = z.iso.datetime().describe("when it happened");
      return [name, { meaning, body: z.object({ type: z.literal(name), timestamp, data }) }];
    }),
  );
