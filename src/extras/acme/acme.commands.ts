import type { Command } from "commander";
import { type CommandContext } from "../../platform/cli/command.ts";
import { createDefine } from "../../platform/cli/define.ts";
import { noteResult, rowsResult } from "../../platform/cli/results.ts";
import { appError } from "../../lib/errors.ts";
import { formatRfc3339 } from "../../lib/rfc3339.ts";
import type { Acme } from "./acme.ts";

const COLUMNS = ["host", "valid_until", "trouble"] as const;

export function addCertificateCommands(
  program: Command,
  context: CommandContext<{ acme: Acme | null }>,
): void {
  const define = createDefine(program.command("certificates"), context);
  const open = async (): Promise<Acme> => {
    const { acme } = await context.services();
    if (acme !== null) return acme;
    throw appError("Conflict", "The server orders no certificates: server.acme is off.");
  };

  define("list", "list the hosts whose certificates the server orders").result(async () => {
    const rows = (await open()).states().map(({ path, notAfter, trouble }) => ({
      host: path,
      valid_until: notAfter === null ? null : formatRfc3339(notAfter),
      trouble: trouble?.message ?? null,
    }));
    return rowsResult(rows, COLUMNS, { none: "No hosts. Set features.public_url, or add a domain." });
  });
  define("retry <host>", "order a certificate that failed at once, such as after a change of DNS").result(
    async (_, host) => {
      await (await open()).retry(host);
      return noteResult({ host }, `A running server tries ${host} within a minute.`);
    },
  );
}
