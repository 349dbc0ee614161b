import type { Command } from "commander";
import { type CommandContext } from "../cli/command.ts";
import { createDefine } from "../cli/define.ts";
import { type Result, rowsResult } from "../cli/results.ts";
import { appError } from "../../lib/errors.ts";
import { validated } from "../../lib/validated.ts";
import { cursorText, placeOf, timePlace } from "../../lib/cursor.ts";
import { EVENT_WAYS, viewOfEvent } from "./event.ts";
import type { EventPage, Events } from "./events.service.ts";
import { eventFilterOf, eventQuery } from "./event-query.ts";

type Context = CommandContext<{
  events: Events;
  /** @throws LinkNotFound */
  linkId(code: string, domain: string | undefined): Promise<number>;
}>;

const PAGING = [
  ["--limit <number>", "how many at most", { default: "50" }],
  ["--cursor <place>", "the cursor that the previous page printed"],
] as const;
const MOST_EVENTS = 10_000;

/** @param links the group of commands for links */
export function addEventCommands(program: Command, links: Command, { services, output }: Context): void {
  const eventsResult = ({ events, next }: EventPage): Result => {
    if (next !== null) output.note(`Next page: --cursor ${cursorText(next)}`);
    return rowsResult(events.map(viewOfEvent), ["id", ["at", "TIME"], "actor", "via", "action", "subject"], {
      none: "No events.",
    });
  };

  createDefine(program, { output })("events")
    .option("--actor <name>", "who did it")
    .option("--via <way>", "panel, api, token, cli, import or system", { values: EVENT_WAYS })
    .option("--action <action>", "such as link.update")
    .option("--subject <subject>", "such as a code or a user name")
    .option("--from <instant>", "RFC 3339")
    .option("--to <instant>", "RFC 3339")
    .options(PAGING)
    .result(async ({ limit, cursor, ...fields }) => {
      const filter = eventFilterOf(validated(eventQuery, fields, "The filter"));
      const { events } = await services();
      return eventsResult(await events.page(filter, placeOf(timePlace, cursor), parseLimit(limit)));
    });

  createDefine(links, { output })("history <code>", "list what happened to a link, newest first")
    .option("--domain <host>", "host of the link's domain; default: the default domain")
    .options(PAGING)
    .result(async ({ domain, limit, cursor }, code) => {
      const { events, linkId } = await services();
      const subjectId = await linkId(code, domain);
      return eventsResult(await events.page({ subjectId }, placeOf(timePlace, cursor), parseLimit(limit)));
    });
}

function parseLimit(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Math.min(Math.max(Number(text), 1), MOST_EVENTS);
  throw appError("BadRequest", "--limit must be a whole number.");
}
