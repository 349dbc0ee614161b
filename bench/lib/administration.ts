/** What an administrator does beside the redirects that bench/performance.ts measures. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "../../test/support/session.ts";
import { csvOf } from "./csv-client.ts";
import type { DataFolder } from "./data-folder.ts";

export type Work = () => Promise<unknown>;

const IMPORTED_ROWS = 20_000;

/** By name. @param folder of backups, each of which goes */
export function administration(
  client: Client,
  data: Pick<DataFolder, "path">,
  folder: string,
): Record<string, Work> {
  const read = async (path: string) => {
    const answer = await client.fetch(path);
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`);
    for await (const _chunk of answer.body!) {
      // Reads the answer to its end.
    }
  };
  let made = 0;
  return {
    "lists of 100 links": () => read(`/links?page_size=100&page=${1 + ((made++ * 97) % 1_000)}`),
    searches: () => read(`/links?search=${["campaign 37", "path/4711", "example"][made++ % 3]}`),
    "exports of all links as CSV": () => read("/links/export"),
    [`imports of ${IMPORTED_ROWS.toLocaleString("en")} links as CSV`]: async () => {
      const form = new FormData();
      form.set("file", new File([csvOf(IMPORTED_ROWS, `import-${made++}`)], "links.csv"));
      const answer = await client.fetch("/links/import", { method: "POST", body: form });
      if (answer.status !== 200) throw new Error(`the import answered ${answer.status}`);
      await answer.arrayBuffer();
    },
    backups: async () => {
      const to = join(folder, `backup-${made++}`);
      const waymark = join(import.meta.dir, "..", "..", "bin", "waymark");
      const backup = Bun.spawn(["taskset", "-c", "0", waymark, "backup", to], {
        env: { ...process.env, WAYMARK__DATA__DIR: data.path },
        stdout: "ignore",
      });
      if ((await backup.exited) !== 0) throw new Error("a backup failed");
      rmSync(to, { recursive: true });
    },
  };
}
