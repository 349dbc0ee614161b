import type { Command } from "commander";
import { type CommandContext, JSON_OPTION, type JsonOption, subcommand } from "../../platform/cli/command.ts";
import { COMMAND, type Actor } from "../../lib/actor.ts";
import { appError } from "../../lib/errors.ts";
import { pluralize } from "../../lib/pluralize.ts";
import type { TagService } from "./service.ts";

type Context = CommandContext<{ links: { by(actor: Actor): { tags: TagService } } }>;

const COLUMNS = { tag: "TAG", links: "LINKS" };

export function addTagCommands(program: Command, { services, output, input }: Context): void {
  const group = program.command("tags");
  const tags = async () => (await services()).links.by(COMMAND).tags;

  subcommand(group, "list", "list tags with the number of their links, most used first")
    .option(...JSON_OPTION)
    .action(async ({ json }: JsonOption) => {
      const found = await (await tags()).list();
      if (json) return output.json(found);
      if (found.length > 0) output.table(found, COLUMNS);
      output.note(pluralize(found.length, "tag"));
    });

  subcommand(group, "rename <tag> <name>", "rename a tag; onto another tag it merges them")
    .option(...JSON_OPTION)
    .action(async (tag: string, name: string, { json }: JsonOption) => {
      const { change: _, ...renamed } = await (await tags()).rename(tag, name);
      if (json) output.json(renamed);
      else output.line(`${pluralize(renamed.links, "link")} with the tag ${renamed.tag}.`);
    });

  subcommand(group, "remove <tag>", "remove a tag from all links; asks before it does")
    .option("--yes", "do not ask")
    .option(...JSON_OPTION)
    .action(async (tag: string, { yes, json }: JsonOption & { yes?: true }) => {
      if (!yes && !(await input.confirm(`Remove the tag ${tag} from all links?`))) {
        throw appError("BadRequest", "Nothing was changed; answer y, or use --yes.");
      }
      const { change: _, ...removed } = await (await tags()).remove(tag);
      if (json) output.json(removed);
      else output.line(`Removed ${removed.tag} from ${pluralize(removed.links, "link")}.`);
    });
}
