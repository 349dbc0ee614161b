import type { Command } from "commander";
import { z } from "zod";
import { type CommandContext, JSON_OPTION, type JsonOption, subcommand } from "../../platform/cli/command.ts";
import { idArgument, showRows } from "../../platform/cli/listing.ts";
import { emailSchema } from "../../lib/email-address.ts";
import { validated } from "../../lib/validated.ts";
import { mailQuery, type StoredMail, viewMail } from "./mail.ts";
import type { Mail } from "./mail.service.ts";
import { asciiLower } from "../../lib/ascii-lower.ts";

type Context = CommandContext<{ mail: Pick<Mail, "outbox"> }>;

const COLUMNS = {
  id: "ID",
  created_at: "TIME",
  kind: "KIND",
  recipient: "RECIPIENT",
  state: "STATE",
  error: "ERROR",
};
const MOST = 10_000;

export function addMailCommands(program: Command, context: Context): void {
  const mail = program.command("mail");
  subcommand(mail, "list", "list the mails of the last 30 days, newest first")
    .option("--state <state>", "waiting, sending, sent or failed")
    .option("--recipient <address>", "the whole address")
    .option("--limit <number>", "how many at most", "50")
    .option(...JSON_OPTION)
    .action(async ({ limit, json, ...given }: JsonOption & { limit: string; state?: string }) => {
      const { state, recipient } = validated(mailQuery, given, "The filter");
      const most = validated(z.coerce.number().int().min(1).max(MOST), limit, "--limit");
      const { outbox } = (await context.services()).mail;
      const filter = { state: state || undefined, recipient: recipient && asciiLower(recipient) };
      const rows = (await outbox.page(filter, null, most)).mails.map(viewMail);
      showRows(context.output, rows, { json, columns: COLUMNS, none: "No mails." });
    });
  subcommand(mail, "test <address>", "queue a test mail, which a running server sends")
    .option("--json", "print the mail as JSON")
    .action(async (address: string, options: JsonOption) => {
      const email = validated(emailSchema, address, "The address");
      const { outbox } = (await context.services()).mail;
      tell(context, await outbox.test({ accountId: null, email, language: "en" }), options);
    });
  subcommand(mail, "retry <id>", "send a mail that waits or has failed at once")
    .option("--json", "print the mail as JSON")
    .action(async (given: string, options: JsonOption) => {
      const id = idArgument(given, "'mail retry' needs the ID of a mail.");
      const { outbox } = (await context.services()).mail;
      tell(context, await outbox.retry(id), options);
    });
}

function tell({ output }: Context, mail: StoredMail, { json }: JsonOption): void {
  if (json) return output.json(viewMail(mail));
  output.note(
    `Mail ${mail.id} to ${mail.recipient} is queued. 'waymark mail list' shows what becomes of it.`,
  );
}
