import type { Command } from "commander";
import { type CommandContext, JSON_OPTION, type JsonOption, subcommand } from "../../platform/cli/command.ts";
import { idArgument, showRows } from "../../platform/cli/listing.ts";
import { COMMAND } from "../../lib/actor.ts";
import { appError } from "../../lib/errors.ts";
import { MOST_REASON } from "../link/held.ts";
import type { HostOf } from "../link/link.ts";
import type { ReviewVerb } from "../link/events.ts";
import { viewOfReport } from "./report.ts";
import type { LinkSafety } from "./service.ts";

type Context = CommandContext<{
  links: {
    safety: LinkSafety;
    domains: { key(code: string, domain: string | undefined): string; hostOf: HostOf };
  };
  origins: { ofServer(): string };
}>;
type Options = JsonOption & { reason?: string; domain?: string };

const COLUMNS = { id: "ID", at: "AT", code: "CODE", target: "TARGET", reason: "REASON", details: "DETAILS" };
const SHOWN = 100;

const VERBS: Record<ReviewVerb, { name: string; description: string; done: string }> = {
  approve: { name: "approve", description: "approve a link that waits", done: "Approved" },
  refuse: { name: "refuse", description: "refuse a link that waits", done: "Refused" },
  take_down: { name: "take-down", description: "take a link or share down: 410", done: "Took down" },
  reinstate: {
    name: "reinstate",
    description: "reinstate a link or share that was taken down",
    done: "Reinstated",
  },
};

/** @param links the group of commands for links */
export function addSafetyCommands(links: Command, context: Context): void {
  for (const [action, { name, description, done }] of Object.entries(VERBS)) {
    subcommand(links, `${name} <code>`, description)
      .option("--reason <text>", "for the owner of the link")
      .option("--domain <host>", "host of the link's domain; default: the default domain")
      .option(...JSON_OPTION)
      .action(async (code: string, { reason, domain, json }: Options) => {
        const { safety, domains } = (await context.services()).links;
        const review = { action: action as ReviewVerb, reason: reasonOf(reason), updatedAt: null };
        await safety.review(COMMAND, domains.key(code, domain), review);
        if (json) context.output.json({ code, action });
        else context.output.line(`${done} ${code}.`);
      });
  }

  subcommand(links, "reports", `list what visitors report, newest first, at most ${SHOWN}`)
    .option("--resolved", "those that are resolved instead of open ones")
    .option(...JSON_OPTION)
    .action(async ({ resolved, json }: JsonOption & { resolved?: true }) => {
      const { links: room, origins } = await context.services();
      const found = await room.safety.reports(!resolved, null, SHOWN);
      const rows = found.map((report) => viewOfReport(report, origins.ofServer(), room.domains.hostOf));
      showRows(context.output, rows, { json, columns: COLUMNS, none: "No reports." });
    });

  subcommand(links, "resolve-report <id>", "dismiss a report, or take its link down")
    .option("--take-down", "take the link down")
    .option("--reason <text>", "for the owner of the link")
    .option(...JSON_OPTION)
    .action(async (given: string, { takeDown, reason, json }: Options & { takeDown?: true }) => {
      const id = idArgument(given, "The id must be that of a report.");
      const { safety } = (await context.services()).links;
      await safety.resolve(COMMAND, id, takeDown === true, reasonOf(reason));
      if (json) context.output.json({ id, resolved: true });
      else context.output.line(`Resolved report ${id}.`);
    });
}

/** @throws BadRequest */
function reasonOf(text: string | undefined): string | null {
  const reason = text?.trim() || null;
  if (reason === null || (reason.length <= MOST_REASON && reason.isWellFormed())) return reason;
  throw appError("BadRequest", `--reason must have at most ${MOST_REASON} characters.`);
}
