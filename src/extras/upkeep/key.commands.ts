import type { Command } from "commander";
import type { CommandContext } from "../../platform/cli/command.ts";
import { createDefine } from "../../platform/cli/define.ts";
import { appError } from "../../lib/errors.ts";

/** What to do about each kind of secret that another key has sealed. */
export const ENTERED_ANEW =
  "Give each webhook a new secret (webhooks rotate), each account a new second factor (users reset-2fa), each storage in S3 its keys, and unfinished imports theirs. Sign a new successor bundle.";

type Keys = {
  look(): Promise<string | null>;
  reset(): Promise<void>;
  unreadable(): Promise<string[]>;
};
type Context = CommandContext<{ keys: Keys }>;

export function addKeyCommand(program: Command, { services, output, input }: Context): void {
  createDefine(program, { output })("reset-secret-key")
    .option("--yes", "do not ask")
    .action(async ({ yes }) => {
      const { keys } = await services();
      if ((await keys.look()) === null) {
        return output.line("The secret key of this node is the installation's; nothing was changed.");
      }
      const question =
        "Is the key that sealed the secrets in the database lost on all nodes and in all backups?";
      if (!yes && !(await input.confirm(question)))
        throw appError("BadRequest", "Nothing was changed; answer y, or use --yes.");
      await keys.reset();
      const lost = await keys.unreadable();
      output.line(
        "The secret key of this node is the installation's from now on. Other nodes need the same one.",
      );
      if (lost.length > 0) output.line(`Not readable any more: ${lost.join(", ")}. ${ENTERED_ANEW}`);
    });
}
