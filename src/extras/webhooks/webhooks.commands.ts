import type { Command } from "commander";
import { z } from "zod";
import { type CommandContext, JSON_OPTION, type JsonOption, subcommand } from "../../platform/cli/command.ts";
import { idArgument, showRows } from "../../platform/cli/listing.ts";
import { COMMAND } from "../../lib/actor.ts";
import { systemClock } from "../../lib/clock.ts";
import { cursorText, placeOf } from "../../lib/cursor.ts";
import { appError } from "../../lib/errors.ts";
import { validated } from "../../lib/validated.ts";
import {
  createWebhookSchema,
  type Delivery,
  deliveryQuery,
  replaySchema,
  updateWebhookSchema,
  viewDelivery,
  viewWebhook,
  type Webhook,
} from "./webhook.ts";
import { WEBHOOK_EVENT_NAMES } from "./webhook-events.ts";
import type { Webhooks } from "./webhooks.service.ts";

type Context = CommandContext<{ webhooks: Webhooks }>;
type Fields = { url?: string; event?: string[]; secret?: string; enable?: true; disable?: true };

const MOST = 10_000;
const SECRET = ["--secret <secret>", "whsec_ and the Base64 of 24 to 64 bytes"] as const;
const EVENT = ["--event <event...>", WEBHOOK_EVENT_NAMES.join(", ")] as const;
const COLUMNS = { id: "ID", url: "URL", events: "EVENTS", state: "STATE" };
const DELIVERY_COLUMNS = {
  id: "ID",
  created_at: "TIME",
  event: "EVENT",
  event_id: "EVENT ID",
  state: "STATE",
  attempts: "ATTEMPTS",
  error: "ERROR",
};

export function addWebhookCommands(program: Command, context: Context): void {
  const group = program.command("webhooks");
  addListing(group, context);
  addChanging(group, context);
  addSending(group, context);
}

function addListing(group: Command, context: Context): void {
  subcommand(group, "list", "list the webhooks")
    .option(...JSON_OPTION)
    .action(async ({ json }: JsonOption) => {
      const { webhooks } = await context.services();
      const rows = (await webhooks.list()).map((webhook) => viewWebhook(webhook, systemClock.now()));
      showRows(context.output, rows, {
        json,
        columns: COLUMNS,
        cells: (row) => ({ events: row.events.join(" "), state: stateOf(row) }),
        none: "There are no webhooks.",
      });
    });
  subcommand(
    group,
    "deliveries <id>",
    "list what was sent in the last 30 days, what waits and what failed, newest first",
  )
    .option("--state <state>", "waiting, sending, delivered or failed")
    .option("--event <event>", "such as link.created")
    .option("--limit <number>", "how many at most", "50")
    .option("--cursor <place>", "the cursor that the previous page printed")
    .option(...JSON_OPTION)
    .action(
      async (
        id: string,
        { limit, cursor, json, ...given }: JsonOption & { limit: string; cursor?: string },
      ) => {
        const { state, event } = validated(deliveryQuery, given, "The filter");
        const most = validated(z.coerce.number().int().min(1).max(MOST), limit, "--limit");
        const { webhooks } = await context.services();
        const filter = { state: state || undefined, event: event || undefined };
        const { page, next } = await webhooks.page(idOf(id), filter, placeOf(z.int(), cursor), most);
        const rows = page.map((delivery) => viewDelivery(delivery, webhooks.instance));
        if (next !== null) context.output.note(`Next page: --cursor ${cursorText(next)}`);
        showRows(context.output, rows, {
          json,
          columns: DELIVERY_COLUMNS,
          cells: ({ recent_attempts: attempts }) => ({ error: attempts.at(-1)?.error ?? "" }),
          none: "No deliveries.",
        });
      },
    );
}

const stateOf = ({
  enabled,
  disabled_reason: because,
  failing_since: since,
}: ReturnType<typeof viewWebhook>) =>
  enabled ? (since === null ? "enabled" : `failing since ${since}`) : `disabled: ${because}`;

function addChanging(group: Command, context: Context): void {
  subcommand(group, "add <url>", "add a webhook and print its secret, which can't be shown again")
    .requiredOption(...EVENT)
    .option(SECRET[0], `${SECRET[1]}; default: a random one`)
    .option(...JSON_OPTION)
    .action(async (url: string, { event: events, secret, json }: JsonOption & Fields) => {
      const input = validated(createWebhookSchema, { url, events, secret }, "The webhook");
      const { webhooks } = await context.services();
      const made = await webhooks.create(input, COMMAND);
      showSecret(context, made, json, "added");
    });
  subcommand(group, "update <id>", "change a webhook")
    .option("--url <url>", "where the requests go")
    .option(...EVENT)
    .option(SECRET[0], `${SECRET[1]}; for a day the one before signs too`)
    .option("--enable", "send again")
    .option("--disable", "send nothing more")
    .option(...JSON_OPTION)
    .action(async (id: string, { event: events, json, enable, disable, ...given }: JsonOption & Fields) => {
      if (enable && disable) throw appError("BadRequest", "Give --enable or --disable.");
      const enabled = enable ? true : disable ? false : undefined;
      const input = validated(updateWebhookSchema, { ...given, events, enabled }, "The webhook");
      const { webhooks } = await context.services();
      show(context, await webhooks.update(idOf(id), input, COMMAND), json, "changed");
    });
  subcommand(group, "rotate <id>", "make a new secret and print it; for a day the one before signs too")
    .option(...JSON_OPTION)
    .action(async (id: string, { json }: JsonOption) => {
      const { webhooks } = await context.services();
      showSecret(context, await webhooks.rotate(idOf(id), COMMAND), json, "changed");
    });
  subcommand(group, "remove <id>", "delete a webhook and what waits for it")
    .option(...JSON_OPTION)
    .action(async (text: string, { json }: JsonOption) => {
      const id = idOf(text);
      await (await context.services()).webhooks.remove(id, COMMAND);
      if (json) context.output.json({ id, removed: true });
      else context.output.note(`Webhook ${id} was removed.`);
    });
}

function addSending(group: Command, context: Context): void {
  subcommand(group, "test <id>", "queue an event webhook.test, which a running server sends once")
    .option(...JSON_OPTION)
    .action(async (id: string, { json }: JsonOption) => {
      const { webhooks } = await context.services();
      showQueued(context, await webhooks.test(idOf(id)), webhooks.instance, json);
    });
  subcommand(group, "resend <id> <delivery>", "queue a delivery again, whatever became of it")
    .option(...JSON_OPTION)
    .action(async (id: string, delivery: string, { json }: JsonOption) => {
      const { webhooks } = await context.services();
      showQueued(context, await webhooks.resend(idOf(id), idOf(delivery)), webhooks.instance, json);
    });
  subcommand(group, "replay <id>", "queue all events again that the webhook tells, from one on")
    .requiredOption("--from <event>", "id of the first event; 'waymark events' shows it")
    .option(...JSON_OPTION)
    .action(async (id: string, { from, json }: JsonOption & { from: string }) => {
      const input = validated(replaySchema, { from: Number(from) }, "--from");
      const { webhooks } = await context.services();
      show(context, await webhooks.replay(idOf(id), input.from), json, `replays from event ${input.from}`);
    });
}

const idOf = (text: string): number =>
  idArgument(text, "'webhooks' needs an ID, as 'webhooks list' and 'webhooks deliveries' show it.");

function show({ output }: Context, webhook: Webhook, json: true | undefined, done: string): void {
  if (json) output.json(viewWebhook(webhook, systemClock.now()));
  else output.note(`Webhook ${webhook.id} ${done}.`);
}

type Made = { webhook: Webhook; secret: string };

function showSecret(
  { output }: Context,
  { webhook, secret }: Made,
  json: true | undefined,
  done: string,
): void {
  if (json) return output.json({ ...viewWebhook(webhook, systemClock.now()), secret });
  output.line(secret);
  output.note(`Webhook ${webhook.id} ${done}. Its secret is not shown again.`);
}

function showQueued({ output }: Context, delivery: Delivery, instance: string, json: true | undefined): void {
  if (json) return output.json(viewDelivery(delivery, instance));
  const { id, webhookId } = delivery;
  output.note(
    `Delivery ${id} is queued. 'waymark webhooks deliveries ${webhookId}' shows what becomes of it.`,
  );
}
