import type { Command } from "commander";
import type { CommandContext } from "../../platform/cli/command.ts";
import { createDefine } from "../../platform/cli/define.ts";
import { lineResult, parseId, rowsResult } from "../../platform/cli/results.ts";
import { type Actor, COMMAND } from "../../lib/actor.ts";
import { cursorText, placeOf, timePlace } from "../../lib/cursor.ts";
import { appError } from "../../lib/errors.ts";
import { formatRfc3339 } from "../../lib/rfc3339.ts";
import { codeOf } from "../link/key.ts";
import type { DeletedLinks } from "./deleted.ts";

type Context = CommandContext<{
  links: {
    deleted: DeletedLinks;
    by(actor: Actor): { revert(key: string, eventId: number, state: "before" | "after"): Promise<unknown> };
    domains: { key(code: string, domain: string | undefined): string };
  };
}>;

const COLUMNS = [
  "id",
  "code",
  "target",
  "owner",
  "human_clicks",
  ["clicks", "ALL CLICKS"],
  "deleted_at",
  ["deleted_by", "BY"],
] as const;
const SHOWN = 100;

/** @param group the commands for links */
export function addDeletedCommands(group: Command, context: Context): void {
  const define = createDefine(group, context);

  define("deleted", `list deleted links that can be put back, newest first, ${SHOWN} at once`)
    .option("--cursor <place>", "the cursor that the previous page printed")
    .result(async ({ cursor }) => {
      const { deleted } = (await context.services()).links;
      const { links, next } = await deleted.page(COMMAND, placeOf(timePlace, cursor), SHOWN);
      const rows = links.map((link) => ({
        id: link.id,
        code: codeOf(link.code),
        target: link.target,
        owner: link.ownerName ?? null,
        human_clicks: link.clickCount - link.automatedClicks,
        clicks: link.clickCount,
        deleted_at: formatRfc3339(link.deletedAt),
        deleted_by: link.deletedBy,
      }));
      if (next !== null) context.output.note(`Next page: --cursor ${cursorText(next)}`);
      return rowsResult(rows, COLUMNS, { none: "No deleted links." });
    });

  define("restore", "put a deleted link back by its id or code, or set a link to a state of its history")
    .argument("<id-or-code>", "see `links deleted`; with --event the code of a link")
    .option("--code <code>", "another code for a deleted link")
    .option("--event <id>", "see `links history`")
    .option("--before", "with --event: the state before it instead of after it")
    .option("--domain <host>", "with --event: host of the link's domain")
    .result(async ({ code: newCode, event, before, domain }, given) => {
      if (event === undefined) {
        const code = await restoreDeleted(context, given, newCode);
        return lineResult({ code, restored: true }, `Restored ${code}.`);
      }
      const id = parseId(event, "--event must be the id of an event.");
      const { links } = await context.services();
      await links.by(COMMAND).revert(links.domains.key(given, domain), id, before ? "before" : "after");
      return lineResult({ code: given, restored: true }, `Restored ${given}.`);
    });
}

/** Returns the code that the link has now. */
async function restoreDeleted(
  { services }: Context,
  given: string,
  newCode: string | undefined,
): Promise<string> {
  const { deleted } = (await services()).links;
  const found = await deleted.newest(COMMAND, given);
  const id = found ?? (/^[1-9]\d{0,15}$/.test(given) ? Number(given) : null);
  if (id === null) {
    throw appError("LinkNotFound", `There is no deleted link "${given}" that can be put back.`);
  }
  return codeOf(await deleted.restore(COMMAND, id, newCode ?? null));
}
