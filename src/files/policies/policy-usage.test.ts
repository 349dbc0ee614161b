/** What a policy holds, for whom, and what is in the way of deleting it, on every database. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { ADMIN_PASSWORD, type AuthHarness, Browser, startAuth } from "../../auth/auth.test-support.ts";
import type { Database } from "../../platform/db/database.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { type ContentHarness, makeFolder, startContent } from "../content.test-support.ts";
import { bytesOf } from "../storage/driver-contract.test-support.ts";

const PATH = "/admin/policies";

forEachDialect((dialect) => {
  let database: Database;
  let content: ContentHarness;
  let harness: AuthHarness;
  let admin: Browser;
  const dataDir = makeFolder();

  beforeAll(async () => {
    database = await dialect.openDb();
    harness = await startAuth(database, {
      more: async (changes) => {
        content = await startContent(database, { dataDir, changes });
        return content.endpoints;
      },
    });
    await harness.auth.resetAdminPassword(ADMIN_PASSWORD, "test");
    admin = new Browser(harness);
    await admin.login(ADMIN_PASSWORD);
  });
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

  test("reports objects, bytes, accounts and what prevents deletion", async () => {
    const made = await admin.send("POST", PATH, { body: { name: "second", driver_type: "local" } });
    const id = Number(made.json.data!["id"]);
    const usage = async () => (await admin.send("GET", `${PATH}/${id}/usage`)).json.data!;
    expect(await usage()).toEqual({
      objects: 0,
      bytes: 0,
      unfinished_uploads: 0,
      folders: [],
      accounts: 0,
      largest_accounts: [],
      deletion_blocked_by: null,
    });
    await content.files.add(bytesOf(10), id);
    await content.files.add(bytesOf(32), id);
    const used = await usage();
    expect(used).toMatchObject({ objects: 2, bytes: 42, accounts: 1 });
    const refused = await admin.send("DELETE", `${PATH}/${id}`);
    expect([refused.status, refused.json.message]).toEqual([409, String(used["deletion_blocked_by"])]);
    expect(used["largest_accounts"]).toMatchObject([{ files: 2, bytes: 42 }]);
  });

  test("an unfinished upload is in the way of deleting a policy; a complete one, which became a file, is not", async () => {
    const made = await admin.send("POST", PATH, { body: { name: "third", driver_type: "local" } });
    const id = Number(made.json.data!["id"]);
    const upload = { account_id: 1, folder_id: 0, mime_type: "text/plain", metadata: "", size: 5 };
    const times = { created_at: 1, expires_at: Number.MAX_SAFE_INTEGER };
    const row = { ...upload, ...times, policy_id: id, drop_link_id: null, sender: null, sender_name: null };
    const [complete, open] = [crypto.randomUUID(), crypto.randomUUID()];
    const uploads = [
      { ...row, id: complete, name: "complete", received: 5 },
      { ...row, id: open, name: "open", received: 4 },
    ];
    await database.write.insertInto("uploads").values(uploads).execute();
    const { json } = await admin.send("GET", `${PATH}/${id}/usage`);
    expect(json.data).toMatchObject({
      unfinished_uploads: 1,
      deletion_blocked_by: "The policy is in use by unfinished uploads (1).",
    });
    expect((await admin.send("DELETE", `${PATH}/${id}`)).status).toBe(409);
    await database.write.deleteFrom("uploads").where("id", "=", open).execute();
    expect((await admin.send("DELETE", `${PATH}/${id}`)).status).toBe(200);
    const left = await database.read.selectFrom("uploads").select("id").where("policy_id", "=", id).execute();
    expect(left).toEqual([]);
  });

  test("the default policy can't be deleted because it is the default; an unknown one is 404", async () => {
    const [first] = (await admin.send("GET", PATH)).json.data as unknown as { id: number }[];
    const { json } = await admin.send("GET", `${PATH}/${first!.id}/usage`);
    expect(json.data!["deletion_blocked_by"]).toContain("default policy");
    expect((await admin.send("GET", `${PATH}/99999/usage`)).json.code).toBe(7002);
  });
});
