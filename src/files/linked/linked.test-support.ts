/** A folder of the server with two files, linked into the tree of an account. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database } from "../../platform/db/database.ts";
import { startDrive } from "../drive.test-support.ts";

type Options = { quotaBytes: number; isReadOnly: boolean };

export async function linkPhotos(database: Database, { quotaBytes, isReadOnly }: Options) {
  const outside = realpathSync(mkdtempSync(join(tmpdir(), "waymark-linked-")));
  const root = join(outside, "photos");
  mkdirSync(join(root, "2026", "summer"), { recursive: true });
  writeFileSync(join(root, "a.txt"), "first");
  writeFileSync(join(root, "2026", "summer", "beach.jpg"), "picture");
  const drive = await startDrive(database, { roots: [outside] });
  const account = await drive.account(quotaBytes);
  const name = `photos ${crypto.randomUUID()}`;
  // Policies are read-only unless they say otherwise.
  const more = isReadOnly ? {} : { read_only: false };
  const given = { name, driver_type: "linked", base_path: root, ...more } as const;
  const policyId = (await drive.content.policies.create(given)).id;
  const linked = await drive.linked.link(policyId, { accountId: account, parentId: null, name: "Photos" });
  return {
    outside,
    root,
    drive,
    account,
    policyId,
    linked,
    async scan(): Promise<void> {
      for (const one of await drive.linked.places(policyId)) await drive.linked.scan(one);
    },
    async close(): Promise<void> {
      await drive.close();
      rmSync(outside, { recursive: true, force: true });
    },
  };
}
