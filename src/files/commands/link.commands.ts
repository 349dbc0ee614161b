/** `waymark files link`: folders of the server in trees. */
import { resolve } from "node:path";
import type { Command } from "commander";
import { createDefine } from "../../platform/cli/define.ts";
import { lineResult } from "../../platform/cli/results.ts";
import { COMMAND } from "../../lib/actor.ts";
import { appError } from "../../lib/errors.ts";
import type { Policy, UpdatePolicy } from "../policies/policy.ts";
import { viewFolder } from "../tree/entry.ts";
import { pathNames } from "../tree/lookup.ts";
import { type Context, entryOf, OWNER, PATH_OR_ID } from "./place.commands.ts";

const NAME_CHARACTERS = 200;

export function addLink(group: Command, context: Context): void {
  const define = createDefine(group, context);

  define("link", "show a folder of the server as it lies; nothing in it is changed without --writable")
    .options(OWNER)
    .argument("<folder>", "on the server, below storage.local_roots, such as /srv/photos")
    .argument("<path>", "the new folder of the tree, such as /Photos")
    .option("--rescan-minutes <number>", "minutes between two looks at everything; default: 60", {
      isNumber: true,
    })
    .option("--writable", "what is in it can be changed through Waymark; deleted files go to its trash")
    .result(async ({ rescan_minutes, writable, ...owned }, folder, path) => {
      const { drive } = await context.services();
      const tree = await drive.trees.forCommand(owned);
      const names = pathNames(path);
      const name = names.at(-1);
      if (name === undefined) throw appError("BadRequest", "Name the new folder, such as /Photos.");
      const parent = await drive.lookup.at(tree, `/${names.slice(0, -1).join("/")}`);
      const given = {
        ...(rescan_minutes !== undefined && { rescan_minutes }),
        ...(writable && { read_only: false }),
      };
      const policy = await policyOf(context, resolve(folder), given);
      const place = { accountId: tree, parentId: parent?.id ?? null, name };
      const linked = await drive.linked.link(policy.id, place, COMMAND);
      const view = viewFolder(linked, await drive.trees.nameOfOwner(tree));
      return lineResult(
        view,
        `${path} shows ${policy.basePath}. The server looks at everything in it within a minute.`,
      );
    });

  define("rescan", "look at a linked folder again now, instead of after its minutes")
    .options(OWNER)
    .argument("<path>", `${PATH_OR_ID} of the folder that shows it`)
    .result(async (owned, path) => {
      const { entry } = await entryOf(context, path, owned);
      const { linked } = (await context.services()).drive;
      const root = await linked.rootOf(entry.id);
      if (root === null) throw appError("BadRequest", `${path} is not a folder that was linked.`);
      await linked.rescan(root.policyId);
      return lineResult(
        { folder_id: entry.id },
        `The server looks at everything in ${path} within a minute.`,
      );
    });
}

/** The policy of the folder, made if there is none. */
async function policyOf(
  { services }: Context,
  folder: string,
  given: Pick<UpdatePolicy, "read_only" | "rescan_minutes">,
): Promise<Policy> {
  const { policies } = (await services()).content;
  const known = (await policies.list()).find(
    ({ driverType, basePath }) => driverType === "linked" && basePath === folder,
  );
  if (known !== undefined)
    return Object.keys(given).length === 0 ? known : policies.update(known.id, given, COMMAND);
  const name = `Folder ${folder.slice(-NAME_CHARACTERS)}`;
  return policies.create({ name, driver_type: "linked", base_path: folder, ...given }, COMMAND);
}
