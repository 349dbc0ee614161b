/** An edited link is read at most twice: once for the plan, and once to lock it. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import type { Actor } from "../../lib/actor.ts";
import type { PatchInput } from "../../links/link/link.ts";
import { startShares, type SharesHarness } from "../shares/shares.test-support.ts";

const URL_A = "https://a.example/";
const URL_B = "https://b.example/";
const LIMITS = { max_bytes: 1_000, max_files: 3 };

const READS_LINKS = /^select .*(?:from|join) ["`]links["`]/s;

/** The database, with a list of the queries that read rows of `links`. */
function watched(database: Database): { database: Database; reads: string[] } {
  const reads: string[] = [];
  function watch<D extends Db>(db: D): D {
    const executor = db.getExecutor();
    const execute = executor.executeQuery.bind(executor);
    executor.executeQuery = (query, ...rest) => {
      if (READS_LINKS.test(query.sql)) reads.push(query.sql);
      return execute(query, ...rest);
    };
    return db;
  }
  watch(database.read);
  watch(database.write);
  return {
    reads,
    database: {
      ...database,
      transaction: (run, options) => database.transaction((tx) => run(watch(tx)), options),
    },
  };
}

forEachDialect((dialect) => {
  let at: SharesHarness;
  let reads: string[];
  let me: number;
  let actor: Actor;
  beforeAll(async () => {
    const opened = watched(await dialect.openDb({ poolSize: 4 }));
    reads = opened.reads;
    at = await startShares(opened.database);
  });
  beforeEach(async () => {
    me = await at.account();
    actor = at.actor(me);
  });
  afterAll(() => at?.close());

  const readsOf = async (edit: () => Promise<unknown>): Promise<number> => {
    reads.length = 0;
    await edit();
    return reads.length;
  };
  const link = async () => (await at.service.by(actor).create({ target: URL_A, title: "Flyer" })).code;
  const file = async () => (await at.upload(me, null, crypto.randomUUID())).id;
  const share = async () => (await at.shares.create(me, { kind: "file", id: await file() }, {}, actor)).code;
  const patchLink = (code: string, input: PatchInput) => at.changes.patchLink(me, code, input, actor);

  test("in each change of what a code serves, and of its fields", async () => {
    const folderId = await at.folder(me, null, crypto.randomUUID());
    const fileId = await file();
    const items = [{ file_id: fileId }, { folder_id: folderId }];
    const renamed = crypto.randomUUID();
    const [url, shared] = [await link(), await share()];
    const edits: Record<string, () => Promise<unknown>> = {
      title: () => patchLink(url, { title: "Poster" }),
      "all fields": () => at.service.by(actor).update(url, { target: URL_B }),
      target: () => patchLink(url, { target: URL_B, tags: ["print"] }),
      file: () => patchLink(url, { file_id: fileId }),
      "drop box": () => patchLink(url, { drop: { folder_id: folderId, ...LIMITS } }),
      "title of a drop box": () => patchLink(url, { title: "Box" }),
      items: () => patchLink(url, { items }),
      "URL again": () => patchLink(url, { target: URL_A }),
      code: () => patchLink(url, { code: renamed, keep_old: true }),
      share: () => at.changes.patch(me, shared, { max_downloads: 2, title: "Plan" }, actor),
      "URL of a share": () => at.changes.patch(me, shared, { target: URL_A }, actor),
    };
    for (const [what, edit] of Object.entries(edits)) expect([what, await readsOf(edit)]).toEqual([what, 2]);
  });

  test("in each return to an earlier state", async () => {
    const code = await link();
    const { id } = await at.service.by(actor).get(code);
    await patchLink(code, { title: "Poster" });
    await patchLink(code, { file_id: await file() });
    await patchLink(code, { target: URL_B });
    const ids = await at.eventIds(id);
    for (const eventId of [ids[1]!, ids[2]!, ids[0]!]) {
      const which = { eventId, state: "after" } as const;
      const revert = () => at.changes.revertLink(me, code, which, { actor, mayShare() {} });
      expect([eventId, await readsOf(revert)]).toEqual([eventId, 2]);
    }
  });
});
