/** Imports and exports of links over HTTP. */
import { join } from "node:path";
import type { Client } from "../../test/support/session.ts";

export const PASSWORD = "a password for the benchmark";

/** Sets it for the installation with this folder and environment, by the program of a checkout. */
export async function setPassword(
  path: string,
  environment: Record<string, string> = {},
  checkout = join(import.meta.dir, "..", ".."),
): Promise<void> {
  const waymark = join(checkout, "bin", "waymark");
  const reset = Bun.spawn([waymark, "reset-password", "--stdin"], {
    env: { ...process.env, WAYMARK__DATA__DIR: path, ...environment },
    stdin: Buffer.from(PASSWORD),
  });
  if ((await reset.exited) !== 0) throw new Error("the password could not be set");
}

/** The links of an ordinary campaign, unordered. */
export function csvOf(rows: number, campaign = "camp"): string {
  const lines = Array.from(
    { length: rows },
    (_, at) =>
      `${campaign}/${((at * 7919) % rows).toString(36)},https://example.com/landing/page/${at}?utm_source=newsletter&utm_campaign=c${at % 100},2026-01-01T00:00:00Z,,,${at % 100}\n`,
  );
  return `code,target,created_at,expires_at,password,click_count\n${lines.join("")}`;
}

/** Throws unless the answer counts all `rows` under this name. */
export async function importCsv(
  client: Client,
  text: string,
  { mode, counted, rows }: { mode: string; counted: string; rows: number },
): Promise<void> {
  const form = new FormData();
  form.set("mode", mode);
  form.set("file", new File([text], "links.csv"));
  const response = await client.fetch("/links/import", { method: "POST", body: form });
  const { data: result } = (await response.json()) as { data: Record<string, number> };
  if (result[counted] !== rows) throw new Error(`the import answered ${JSON.stringify(result)}`);
}

/** The bytes of the export. Throws unless it has that many rows. */
export async function exportCsv(client: Client, expected: number): Promise<number> {
  const response = await client.fetch("/links/export");
  let bytes = 0;
  let rows = -1;
  for await (const chunk of response.body!) {
    bytes += chunk.length;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) rows++;
  }
  if (rows !== expected) throw new Error(`the export had ${rows} rows`);
  return bytes;
}
