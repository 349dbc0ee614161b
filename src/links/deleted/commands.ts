import type { Command } from "commander";
import { type CommandContext, JSON_OPTION, type JsonOption, subcommand } from "../../platform/cli/command.ts";
import { idArgument, showRows } from "../../platform/cli/listing.ts";
import { type Actor, COMMAND } from "../../lib/actor.ts";
import { cursorText, placeOf, timePlace } from "../../lib/cursor.ts";
import { appError } from "../../lib/errors.ts";
import { formatRfc3339 } from "../../lib/rfc3339.ts";
import type { DeletedLink } from "../link/link.ts";
import { codeOf } from "../link/key.ts";
import type { DeletedLinks } from "./deleted.ts";

type Context = CommandContext<{
  links: {
    deleted: DeletedLinks;
    by(actor: Actor): { revert(key: string, eventId: number, state: "before" | "after"): Promise<unknown> };
    domains: { key(code: string, domain: string | undefined): string };
  };
}>;
type Restore = JsonOption & { code?: string; event?: string; before?: true; domain?: string };

const COLUMNS = {
  id: "ID",
  code: "CODE",
  target: "TARGET",
  owner: "OWNER",
  clicks: "CLICKS",
  deleted_at: "DELETED",
  deleted_by: "BY",
};
const SHOWN = 100;

/** @param links the group of commands for links */
export function addDeletedCommands(links: Command, context: Context): void {
  subcommand(links, "deleted", `list deleted links that can be put back, newest first, ${SHOWN} at once`)
    .option("--cursor <place>", "the cursor that the previous page printed")
    .option(...JSON_OPTION)
    .action(async ({ json, cursor }: JsonOption & { cursor?: string }) => {
      const { deleted } = (await context.services()).links;
      const { links: found, next } = await deleted.page(COMMAND, placeOf(timePlace, cursor), SHOWN);
      const rows = found.map(rowOf);
      if (next !== null) context.output.note(`Next page: --cursor ${cursorText(next)}`);
      showRows(context.output, rows, { json, columns: COLUMNS, none: "No deleted links." });
    });

  subcommand(
    links,
    "restore",
    "put a deleted link back by its id or code, or set a link to a state of its history",
  )
    .argument("<id-or-code>", "see `links deleted`; with --event the code of a link")
    .option("--code <code>", "another code for a deleted link")
    .option("--event <id>", "see `links history`")
    .option("--before", "with --event: the state before it instead of after it")
    .option("--domain <host>", "with --event: host of the link's domain")
    .option(...JSON_OPTION)
    .action(async (given: string, options: Restore) => {
      const code = options.event === undefined ? await putBack(context, given, options) : given;
      if (options.event !== undefined) await revert(context, given, options.event, options);
      if (options.json) context.output.json({ code, restored: true });
      else context.output.line(`Restored ${code}.`);
    });
}

async function putBack({ services }: Context, given: string, { code }: Restore): Promise<string> {
  const { deleted } = (await services()).links;
  const found = await deleted.newest(COMMAND, given);
  const id = found ?? (/^[1-9]\d{0,15}$/.test(given) ? Number(given) : null);
  if (id === null) {
    throw appError("LinkNotFound", `There is no deleted link "${given}" that can be put back.`);
  }
  return codeOf(await deleted.restore(COMMAND, id, code ?? null));
}

async function revert(
  { services }: Context,
  code: string,
  event: string,
  { before, domain }: Restore,
): Promise<void> {
  const id = idArgument(event, "--event must be the id of an event.");
  const { links } = await services();
  await links.by(COMMAND).revert(links.domains.key(code, domain), id, before ? "before" : "after");
}

const rowOf = (link: DeletedLink) => ({
  id: link.id,
  code: codeOf(link.code),
  target: link.target,
  owner: link.ownerName ?? null,
  clicks: link.clickCount,
  deleted_at: formatRfc3339(link.deletedAt),
  deleted_by: link.deletedBy,
});
