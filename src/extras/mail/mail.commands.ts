import type { Command } from "commander";
import { z } from "zod";
import { type CommandContext } from "../../platform/cli/command.ts";
import { createDefine } from "../../platform/cli/define.ts";
import { noteResult, parseId, type Result, rowsResult } from "../../platform/cli/results.ts";
import { asciiLower } from "../../lib/ascii-lower.ts";
import { emailSchema } from "../../lib/email-address.ts";
import { validated } from "../../lib/validated.ts";
import { MAIL_STATES, mailQuery, type StoredMail, viewMail } from "./mail.ts";
import type { Mail } from "./mail.service.ts";

const COLUMNS = ["id", ["created_at", "TIME"], "kind", "recipient", "state", "error"] as const;
const MAIL_JSON = "print the mail as JSON";
const MOST_MAILS = 10_000;

export function addMailCommands(program: Command, context: CommandContext<{ mail: Mail }>): void {
  const define = createDefine(program.command("mail"), context);
  const outbox = async () => (await context.services()).mail.outbox;

  define("list", "list the mails of the last 30 days, newest first")
    .option("--state <state>", "waiting, sending, sent or failed", { values: MAIL_STATES })
    .option("--recipient <address>", "the whole address")
    .option("--limit <number>", "how many at most", { default: "50" })
    .result(async (options) => {
      const { state, recipient } = validated(mailQuery, options, "The filter");
      const most = validated(z.coerce.number().int().min(1).max(MOST_MAILS), options.limit, "--limit");
      const filter = { state: state || undefined, recipient: recipient && asciiLower(recipient) };
      const { mails } = await (await outbox()).page(filter, null, most);
      return rowsResult(mails.map(viewMail), COLUMNS, { none: "No mails." });
    });
  define("test <address>", "queue a test mail, which a running server sends")
    .json(MAIL_JSON)
    .result(async (_, address) => {
      const email = validated(emailSchema, address, "The address");
      return queuedResult(await (await outbox()).test({ accountId: null, email, language: "en" }));
    });
  define("retry <id>", "send a mail that waits or has failed at once")
    .json(MAIL_JSON)
    .result(async (_, text) => {
      const id = parseId(text, "'mail retry' needs the ID of a mail.");
      return queuedResult(await (await outbox()).retry(id));
    });
}

const queuedResult = (mail: StoredMail): Result =>
  noteResult(
    viewMail(mail),
    `Mail ${mail.id} to ${mail.recipient} is queued. 'waymark mail list' shows what becomes of it.`,
  );
