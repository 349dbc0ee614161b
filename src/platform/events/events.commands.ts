import type { Command } from "commander";
import { type CommandContext, type JsonOption, subcommand, type Texts } from "../cli/command.ts";
import { appError } from "../../lib/errors.ts";
import { validated } from "../../lib/validated.ts";
import { cursorText, placeOf, timePlace } from "../../lib/cursor.ts";
import { viewOfEvent } from "./event.ts";
import type { EventPage, Events } from "./events.service.ts";
import { eventFilterOf, eventQuery } from "./event-query.ts";

type Context = CommandContext<{
  events: Events;
  /** @throws LinkNotFound */
  linkId(code: string, domain: string | undefined): Promise<number>;
}>;
type Options = JsonOption &
  Texts<"actor" | "via" | "action" | "subject" | "from" | "to" | "cursor"> & { limit: string };

type HistoryOptions = Pick<Options, "limit" | "cursor" | "json"> & { domain?: string };
const CURSOR = ["--cursor <place>", "the cursor that the previous page printed"] as const;

const COLUMNS = { id: "ID", at: "TIME", actor: "ACTOR", via: "VIA", action: "ACTION", subject: "SUBJECT" };
const MOST = 10_000;

/** @param links the group of commands for links */
export function addEventCommands(program: Command, links: Command, context: Context): void {
  program
    .command("events")
    .option("--actor <name>", "who did it")
    .option("--via <way>", "panel, api, token, cli, import or system")
    .option("--action <action>", "such as link.update")
    .option("--subject <subject>", "such as a code or a user name")
    .option("--from <instant>", "RFC 3339")
    .option("--to <instant>", "RFC 3339")
    .option("--limit <number>", "how many at most", "50")
    .option(...CURSOR)
    .option("--json", "print JSON")
    .action(async ({ limit, cursor, json, ...given }: Options) => {
      const filter = eventFilterOf(validated(eventQuery, given, "The filter"));
      const { events } = await context.services();
      show(context, await events.page(filter, placeOf(timePlace, cursor), numberOf(limit)), json);
    });

  subcommand(links, "history <code>", "list what happened to a link, newest first")
    .option("--domain <host>", "host of the link's domain; default: the default domain")
    .option("--limit <number>", "how many at most", "50")
    .option(...CURSOR)
    .option("--json", "print JSON")
    .action(async (code: string, { domain, limit, cursor, json }: HistoryOptions) => {
      const { events, linkId } = await context.services();
      const subjectId = await linkId(code, domain);
      show(context, await events.page({ subjectId }, placeOf(timePlace, cursor), numberOf(limit)), json);
    });
}

function numberOf(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Math.min(Math.max(Number(text), 1), MOST);
  throw appError("BadRequest", "--limit must be a whole number.");
}

function show({ output }: Context, { events, next }: EventPage, json: true | undefined): void {
  const rows = events.map(viewOfEvent);
  if (next !== null) output.note(`Next page: --cursor ${cursorText(next)}`);
  if (json) return output.json(rows);
  if (rows.length > 0) output.table(rows, COLUMNS);
  else output.note("No events.");
}
