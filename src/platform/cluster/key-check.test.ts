import { beforeAll, beforeEach, expect, test } from "bun:test";
import { sql } from "kysely";
import { TOKEN_PURPOSE } from "../../auth/oidc/service.ts";
import { PURPOSE as TOTP_PURPOSE } from "../../auth/second-factor/codes.ts";
import type { Database } from "../db/database.ts";
import { forEachDialect } from "../db/for-each-dialect.test-support.ts";
import { TABLES, type TableName } from "../db/schema.ts";
import { ACCESS_KEY_PURPOSE, SECRET_KEY_PURPOSE } from "../../files/policies/drivers.ts";
import { createSecretBox, MalformedSecretKey, SealedWithAnotherKey } from "../../lib/secret-box.ts";
import { createKeyCheck } from "./key-check.ts";
import { readKeyFingerprint, SEALED_COLUMNS } from "./secret-key.repository.ts";

const SECRET_PURPOSE = "webhook";
const PURPOSES = {
  "webhooks.secret": SECRET_PURPOSE,
  "webhooks.previous_secret": SECRET_PURPOSE,
  "authenticators.secret": TOTP_PURPOSE,
  "policies.access_key": ACCESS_KEY_PURPOSE,
  "policies.secret_key": SECRET_KEY_PURPOSE,
  "imports.secret": "import key",
  "oidc_sessions.id_token": TOKEN_PURPOSE,
  "certificates.pair": "certificate",
  "certificates.order_key": "certificate order",
  "acme_accounts.private_key": "acme account",
  "visitor_salts.salt": "visitor salt",
};

test("the sealed columns have the purposes with which the rooms seal", () => {
  const known = SEALED_COLUMNS.map(({ table, column, purpose }) => [`${table}.${column}`, purpose]);
  expect(Object.fromEntries(known)).toEqual(PURPOSES);
});

forEachDialect(({ openDb }) => {
  let database: Database;
  beforeAll(async () => {
    database = await openDb();
  });
  beforeEach(async () => {
    await database.write.updateTable("instance").set({ key_fingerprint: null }).execute();
    for (const { table } of SEALED_COLUMNS)
      await sql`delete from ${sql.table(table)}`.execute(database.write);
  });

  /** A node with the key of bytes `fill`, or without one. */
  function node(fill: number | null) {
    const state = { key: fill, made: 0 };
    const box = createSecretBox(
      () => (state.key === null ? null : new Uint8Array(32).fill(state.key)),
      () => keys.claim(),
    );
    const make = () => {
      state.key = 9;
      state.made++;
    };
    const keys = createKeyCheck({ database, box, place: "/data/secret.key", make });
    return { box, keys, state };
  }

  /** A row whose other columns are as short as can be. */
  async function insert(table: TableName, given: Record<string, string>) {
    const values = Object.entries(TABLES[table])
      .filter(
        ([name, kind]) => name in given || !(kind.endsWith("?") || kind === "serial" || kind === "int0"),
      )
      .map(([name, kind]) => [name, given[name] ?? (kind.startsWith("text") ? "" : 1)] as const);
    const names = sql.join(values.map(([name]) => sql.ref(name)));
    const row = sql.join(values.map(([, value]) => value));
    await sql`insert into ${sql.table(table)} (${names}) values (${row})`.execute(database.write);
  }

  async function addSealed({ table, column }: (typeof SEALED_COLUMNS)[number], sealed: string) {
    if (table === "oidc_sessions") {
      await sql`delete from sessions`.execute(database.write);
      await insert("sessions", {});
    }
    await insert(table, { ...(table === "webhooks" && { secret: sealed }), [column]: sealed });
  }

  test("the first key that seals is the installation's; a node with another one, or none, is refused with that reason", async () => {
    const [first, other, without] = [node(1), node(2), node(null)];
    expect(await other.keys.look()).toBeNull();
    await first.box.seal("secret", "webhook");
    expect(await readKeyFingerprint(database)).toBe(first.box.fingerprint());
    expect(await first.keys.look()).toBeNull();
    expect(await other.keys.look()).toMatch(/\(\/data\/secret\.key\) is not the one.*Put the right key back/);
    expect(await without.keys.look()).toMatch(/has no secret key.*Put the right key back/);
    for (const { box, keys, state } of [other, without]) {
      await expect(box.seal("secret", "webhook")).rejects.toMatchObject({ name: "ServiceUnavailable" });
      await expect(box.derive("successor")).rejects.toThrow("Put the right key back");
      expect(await keys.store()).not.toBeNull();
      expect(state.made).toBe(0);
    }
    expect(await readKeyFingerprint(database)).toBe(first.box.fingerprint());
  });

  test("a node without a key makes one while nothing depends on another", async () => {
    const { box, keys, state } = node(null);
    expect([await keys.look(), await keys.store(), state.made]).toEqual([null, null, 0]);
    expect(box.open(await box.seal("secret", "p"), "p")).toBe("secret");
    expect([state.made, await readKeyFingerprint(database)]).toEqual([1, box.fingerprint()]);
  });

  test("of two nodes that make a key at once, one seals", async () => {
    const nodes = [node(3), node(4)];
    const sealed = await Promise.allSettled(nodes.map(({ box }) => box.seal("secret", "p")));
    expect(sealed.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  });

  for (const one of SEALED_COLUMNS)
    test(`without a fingerprint, a secret in ${one.table}.${one.column} proves the key, and none is made`, async () => {
      const sealed = await createSecretBox(() => new Uint8Array(32).fill(1)).seal("x", one.purpose);
      await addSealed(one, sealed);
      const [right, wrong, without] = [node(1), node(2), node(null)];
      expect(await wrong.keys.store()).toContain("is not the one");
      expect(await without.keys.store()).toContain("has no secret key");
      await expect(without.box.seal("secret", "p")).rejects.toThrow("has no secret key");
      expect([without.state.made, await readKeyFingerprint(database)]).toEqual([0, null]);
      expect(await right.keys.store()).toBeNull();
      expect(await readKeyFingerprint(database)).toBe(right.box.fingerprint());
      expect(await right.keys.unreadable()).toEqual([]);
    });

  test("something else in the key's place is reported, and nothing is made or taken over", async () => {
    const sealed = await node(1).box.seal("secret", SECRET_PURPOSE);
    const stored = await readKeyFingerprint(database);
    await addSealed(SEALED_COLUMNS.find(({ table }) => table === "webhooks")!, sealed);
    const find = () => {
      throw new MalformedSecretKey("/data/secret.key does not hold a secret key");
    };
    const box = createSecretBox(find, () => keys.claim());
    const make = () => {
      throw new Error("must not make one");
    };
    const keys = createKeyCheck({ database, box, place: "/data/secret.key", make });
    for (const trouble of [await keys.look(), await keys.store()])
      expect(trouble).toMatch(/^\/data\/secret\.key does not hold a secret key, so .*Put the right key back/);
    await expect(box.seal("secret", "p")).rejects.toMatchObject({ name: "ServiceUnavailable" });
    expect(() => box.open(sealed, SECRET_PURPOSE)).toThrow(SealedWithAnotherKey);
    expect(await keys.unreadable()).toEqual([]);
    await expect(keys.reset()).rejects.toThrow("Move the file away and repeat the command");
    expect(await readKeyFingerprint(database)).toBe(stored);
  });

  test("a lost key is given up on purpose, and what it sealed is counted", async () => {
    const lost = node(1);
    for (const one of SEALED_COLUMNS) {
      if (["previous_secret", "access_key", "order_key"].includes(one.column)) continue;
      await addSealed(one, await lost.box.seal("x", one.purpose));
    }
    const { box, keys } = node(null);
    await keys.reset();
    expect(await keys.look()).toBeNull();
    expect(await keys.unreadable()).toEqual([
      "1 webhook",
      "1 authenticator app",
      "1 storage policy",
      "1 import with a key",
    ]);
    expect(box.open(await box.seal("secret", "p"), "p")).toBe("secret");
    expect(await lost.keys.look()).toContain("is not the one");
  });
});
