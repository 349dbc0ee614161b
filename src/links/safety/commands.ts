import type { Command } from "commander";
import type { CommandContext } from "../../platform/cli/command.ts";
import { createDefine } from "../../platform/cli/define.ts";
import { lineResult, parseId, rowsResult } from "../../platform/cli/results.ts";
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

const SHOWN = 100;
const REASON = ["--reason <text>", "for the owner of the link"] as const;

const VERBS: readonly (readonly [ReviewVerb, name: string, about: string, done: string])[] = [
  ["approve", "approve", "approve a link that waits", "Approved"],
  ["refuse", "refuse", "refuse a link that waits", "Refused"],
  ["take_down", "take-down", "take a link or share down: 410", "Took down"],
  ["reinstate", "reinstate", "reinstate a link or share that was taken down", "Reinstated"],
];

/** @param group the commands for links */
export function addSafetyCommands(group: Command, context: Context): void {
  const define = createDefine(group, context);

  for (const [action, name, about, done] of VERBS) {
    define(`${name} <code>`, about)
      .option(...REASON)
      .option("--domain <host>", "host of the link's domain; default: the default domain")
      .result(async ({ reason, domain }, code) => {
        const { safety, domains } = (await context.services()).links;
        const review = { action, reason: validatedReason(reason), updatedAt: null };
        await safety.review(COMMAND, domains.key(code, domain), review);
        return lineResult({ code, action }, `${done} ${code}.`);
      });
  }

  define("reports", `list what visitors report, newest first, at most ${SHOWN}`)
    .option("--resolved", "those that are resolved instead of open ones")
    .result(async ({ resolved }) => {
      const { links, origins } = await context.services();
      const found = await links.safety.reports(!resolved, null, SHOWN);
      const rows = found.map((report) => viewOfReport(report, origins.ofServer(), links.domains.hostOf));
      const columns = ["id", ["at", "AT"], "code", "target", "reason", "details"] as const;
      return rowsResult(rows, columns, { none: "No reports." });
    });

  define("resolve-report <id>", "dismiss a report, or take its link down")
    .option("--take-down", "take the link down")
    .option(...REASON)
    .result(async ({ take_down: isTakenDown = false, reason }, text) => {
      const id = parseId(text, "The id must be that of a report.");
      const { safety } = (await context.services()).links;
      await safety.resolve(COMMAND, id, isTakenDown, validatedReason(reason));
      return lineResult({ id, resolved: true }, `Resolved report ${id}.`);
    });
}

/** @throws BadRequest */
function validatedReason(text: string | undefined): string | null {
  const reason = text?.trim() || null;
  if (reason === null || (reason.length <= MOST_REASON && reason.isWellFormed())) return reason;
  throw appError("BadRequest", `--reason must have at most ${MOST_REASON} characters.`);
}
