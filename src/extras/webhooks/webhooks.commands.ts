import type { Command } from "commander";
import { z } from "zod";
import { type CommandContext } from "../../platform/cli/command.ts";
import { createDefine } from "../../platform/cli/define.ts";
import { noteResult, parseId, type Result, rowsResult } from "../../platform/cli/results.ts";
import { COMMAND } from "../../lib/actor.ts";
import { systemClock } from "../../lib/clock.ts";
import { cursorText, placeOf } from "../../lib/cursor.ts";
import { appError } from "../../lib/errors.ts";
import { validated } from "../../lib/validated.ts";
import {
  createWebhookSchema,
  type Delivery,
  DELIVERY_STATES,
  deliveryQuery,
  replaySchema,
  updateWebhookSchema,
  viewDelivery,
  viewWebhook,
  type Webhook,
} from "./webhook.ts";
import { WEBHOOK_EVENT_NAMES, WEBHOOK_EVENTS } from "./webhook-events.ts";
import type { Webhooks } from "./webhooks.service.ts";

type Context = CommandContext<{ webhooks: Webhooks }>;

const MOST_DELIVERIES = 10_000;
const SECRET = "whsec_ and the Base64 of 24 to 64 bytes";
const EVENT_VALUES = WEBHOOK_EVENT_NAMES.map((name) => [name, WEBHOOK_EVENTS[name].meaning] as const);

const parseWebhookId = (text: string): number =>
  parseId(text, "'webhooks' needs an ID, as 'webhooks list' and 'webhooks deliveries' show it.");

export function addWebhookCommands(program: Command, context: Context): void {
  const group = program.command("webhooks");
  addListing(group, context);
  addChanging(group, context);
  addSending(group, context);
}

function addListing(group: Command, context: Context): void {
  const define = createDefine(group, context);

  define("list", "list the webhooks").result(async () => {
    const { webhooks } = await context.services();
    const rows = (await webhooks.list()).map((webhook) => viewWebhook(webhook, systemClock.now()));
    return rowsResult(rows, ["id", "url", "events", "state"], {
      cells: (row) => ({ events: row.events.join(" "), state: stateOf(row) }),
      none: "There are no webhooks.",
    });
  });

  define(
    "deliveries <id>",
    "list what was sent in the last 30 days, what waits and what failed, newest first",
  )
    .option("--state <state>", "waiting, sending, delivered or failed", { values: DELIVERY_STATES })
    .option("--event <event>", "such as link.created", { values: EVENT_VALUES })
    .option("--limit <number>", "how many at most", { default: "50" })
    .option("--cursor <place>", "the cursor that the previous page printed")
    .result(async (options, id) => {
      const { state, event } = validated(deliveryQuery, options, "The filter");
      const limit = z.coerce.number().int().min(1).max(MOST_DELIVERIES);
      const most = validated(limit, options.limit, "--limit");
      const { webhooks } = await context.services();
      const filter = { state: state || undefined, event: event || undefined };
      const before = placeOf(z.int(), options.cursor);
      const { page, next } = await webhooks.page(parseWebhookId(id), filter, before, most);
      const rows = page.map((delivery) => viewDelivery(delivery, webhooks.instance));
      if (next !== null) context.output.note(`Next page: --cursor ${cursorText(next)}`);
      return rowsResult(
        rows,
        ["id", ["created_at", "TIME"], "event", "event_id", "state", "attempts", "error"],
        {
          cells: ({ recent_attempts: attempts }) => ({ error: attempts.at(-1)?.error ?? "" }),
          none: "No deliveries.",
        },
      );
    });
}

const stateOf = ({
  enabled,
  disabled_reason: because,
  failing_since: since,
}: ReturnType<typeof viewWebhook>) =>
  enabled ? (since === null ? "enabled" : `failing since ${since}`) : `disabled: ${because}`;

function addChanging(group: Command, context: Context): void {
  const define = createDefine(group, context);
  const events = WEBHOOK_EVENT_NAMES.join(", ");

  define("add <url>", "add a webhook and print its secret, which can't be shown again")
    .option("--event <event...>", events, { field: "events", isRequired: true, values: EVENT_VALUES })
    .option("--secret <secret>", `${SECRET}; default: a random one`)
    .result(async (options, url) => {
      const input = validated(createWebhookSchema, { ...options, url }, "The webhook");
      const { webhooks } = await context.services();
      return secretResult(await webhooks.create(input, COMMAND), "added");
    });

  define("update <id>", "change a webhook")
    .option("--url <url>", "where the requests go")
    .option("--event <event...>", events, { field: "events", values: EVENT_VALUES })
    .option("--secret <secret>", `${SECRET}; for a day the one before signs too`)
    .option("--enable", "send again")
    .option("--disable", "send nothing more")
    .result(async ({ enable, disable, ...fields }, id) => {
      if (enable && disable) throw appError("BadRequest", "Give --enable or --disable.");
      const enabled = enable ? true : disable ? false : undefined;
      const input = validated(updateWebhookSchema, { ...fields, enabled }, "The webhook");
      const { webhooks } = await context.services();
      return webhookResult(await webhooks.update(parseWebhookId(id), input, COMMAND), "changed");
    });

  define("rotate <id>", "make a new secret and print it; for a day the one before signs too").result(
    async (_, id) => {
      const { webhooks } = await context.services();
      return secretResult(await webhooks.rotate(parseWebhookId(id), COMMAND), "changed");
    },
  );

  define("remove <id>", "delete a webhook and what waits for it").result(async (_, text) => {
    const id = parseWebhookId(text);
    await (await context.services()).webhooks.remove(id, COMMAND);
    return noteResult({ id, removed: true }, `Webhook ${id} was removed.`);
  });
}

function addSending(group: Command, context: Context): void {
  const define = createDefine(group, context);

  define("test <id>", "queue an event webhook.test, which a running server sends once").result(
    async (_, id) => {
      const { webhooks } = await context.services();
      return deliveryResult(await webhooks.test(parseWebhookId(id)), webhooks.instance);
    },
  );

  define("resend <id> <delivery>", "queue a delivery again, whatever became of it").result(
    async (_, id, delivery) => {
      const { webhooks } = await context.services();
      const queued = await webhooks.resend(parseWebhookId(id), parseWebhookId(delivery));
      return deliveryResult(queued, webhooks.instance);
    },
  );

  define("replay <id>", "queue all events of the webhook again, from one on")
    .option("--from <event>", "id of the first event; 'waymark events' shows it", { isRequired: true })
    .result(async (options, id) => {
      const { from } = validated(replaySchema, { from: Number(options.from) }, "--from");
      const { webhooks } = await context.services();
      return webhookResult(await webhooks.replay(parseWebhookId(id), from), `replays from event ${from}`);
    });
}

const webhookResult = (webhook: Webhook, done: string): Result =>
  noteResult(viewWebhook(webhook, systemClock.now()), `Webhook ${webhook.id} ${done}.`);

const secretResult = ({ webhook, secret }: { webhook: Webhook; secret: string }, done: string): Result => ({
  json: { ...viewWebhook(webhook, systemClock.now()), secret },
  show(output) {
    output.line(secret);
    output.note(`Webhook ${webhook.id} ${done}. Its secret is not shown again.`);
  },
});

const deliveryResult = (delivery: Delivery, instance: string): Result =>
  noteResult(
    viewDelivery(delivery, instance),
    `Delivery ${delivery.id} is queued. 'waymark webhooks deliveries ${delivery.webhookId}' shows what becomes of it.`,
  );
