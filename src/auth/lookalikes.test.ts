/** No name or address is that of somebody whose name it resembles, on any database and whatever its collation. */
import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Database } from "../platform/db/database.ts";
import { forEachDialect } from "../platform/db/for-each-dialect.test-support.ts";
import { ownerIds } from "../platform/db/owner-ids.ts";
import { createMovedRepository } from "../files/moved/repository.ts";
import { emailSchema } from "../lib/email-address.ts";
import {
  ADMIN_PASSWORD,
  type AuthHarness,
  Browser,
  type QueuedMail,
  startAuth,
} from "./auth.test-support.ts";
import { createContactRepository } from "./contact/repository.ts";
import { createLoginFailuresRepository } from "./login/failures.repository.ts";
import { LOOKALIKES, VICTIM } from "./lookalikes.test-support.ts";
import { admit } from "./oidc/admission.ts";
import { createOidcRepository } from "./oidc/repository.ts";
import { createTeamRepository } from "./teams/repository.ts";
import { createUsersRepository } from "./users/repository.ts";

const PASSWORD = "a password of eight and more";
const EMAIL = `${VICTIM}@${VICTIM}.example`;
const OPEN = {
  trustEmail: false,
  roleClaim: "",
  roles: new Map(),
  domains: new Set<string>(),
  groupsClaim: "groups",
  groups: new Set<string>(),
};

describe.each(Object.entries(LOOKALIKES))("%s", (_, name) => {
  test("is no address, and joins none", () => {
    for (const email of [`${name}@${VICTIM}.example`, `${VICTIM}@${name}.example`]) {
      expect(emailSchema.safeParse(email).success).toBe(false);
      const claims = { email, email_verified: true };
      expect(admit(claims, OPEN)).toEqual({ role: null, email: null });
    }
  });

  test("is no domain that may sign in", () => {
    const domains = new Set([`${VICTIM}.example`]);
    const claims = { email: `a@${name}.example`, email_verified: true };
    const refused = name.includes("\u{feff}") ? "unverified" : "not_allowed";
    expect(admit(claims, { ...OPEN, domains })).toMatchObject({ refused });
  });
});

forEachDialect((dialect) => {
  let database: Database;
  let harness: AuthHarness;
  let admin: Browser;
  const mails: QueuedMail[] = [];

  beforeAll(async () => {
    database = await dialect.openDb();
    harness = await startAuth(database, { mails });
    await harness.auth.resetAdminPassword(ADMIN_PASSWORD, "test");
    admin = new Browser(harness, "192.0.2.200");
    await admin.login(ADMIN_PASSWORD);
    const account = { username: VICTIM, password: PASSWORD, email: EMAIL };
    const { json } = await admin.send("POST", "/admin/v1/users", { body: account });
    await database.write
      .updateTable("account_mail")
      .set({ proved_at: 1 })
      .where("account_id", "=", Number(json.data?.["id"]))
      .execute();
    await admin.send("POST", "/admin/v1/teams", { body: { name: VICTIM } });
  });
  beforeEach(async () => {
    harness.time.now += 600_000;
    mails.length = 0;
    await admin.login(ADMIN_PASSWORD);
  });

  const addresses = (name: string) => [`${name}@${VICTIM}.example`, `${VICTIM}@${name}.example`];

  /** What the queries find, without what checks their input. */
  async function found(name: string, emails: readonly string[]) {
    const { read, write } = database;
    const [oidc, contact] = [createOidcRepository(database), createContactRepository(database)];
    const [users, teams] = [createUsersRepository(database), createTeamRepository(database)];
    const failures = createLoginFailuresRepository(database);
    const byMail = emails.map(async (email) => [
      await oidc.findByEmail(write, email),
      await contact.ownerOf(email),
      (await createMovedRepository(database).accounts([email], [])).size > 0 || null,
      (await oidc.isAddressFree(write, email)) ? null : "taken",
    ]);
    return [
      await users.findByUsername(name),
      await teams.find({ name }),
      (await teams.accountIds(write, [name])).size > 0 || null,
      (await oidc.takenNames(write, [name])).size > 0 || null,
      (await ownerIds(read, [name, `team:${name}`])).size > 0 || null,
      (await createMovedRepository(database).accounts([], [name])).size > 0 || null,
      await failures.find(name),
      ...(await Promise.all(byMail)).flat(),
    ].filter((one) => one !== null);
  }

  test("the queries find the name itself", async () => {
    await createLoginFailuresRepository(database).replace(VICTIM, null, {
      failures: 1,
      retryAt: 1,
      updatedAt: 1,
    });
    expect(await found(VICTIM, [EMAIL])).toHaveLength(11);
    await createLoginFailuresRepository(database).remove(VICTIM);
  });

  test.each(Object.entries(LOOKALIKES))("%s is found by no query", async (_, name) => {
    expect(await found(name, addresses(name))).toEqual([]);
  });

  test.each(Object.entries(LOOKALIKES))(
    "%s signs in to nothing and is no name for anything",
    async (_, name) => {
      const browser = new Browser(harness);
      expect((await browser.login(PASSWORD, name)).status).toBe(401);
      const send = async (method: string, path: string, body: object) =>
        (await admin.send(method, `/admin/v1${path}`, { body })).status;
      expect(await send("POST", "/users", { username: name, password: PASSWORD })).toBe(400);
      expect(await send("POST", "/teams", { name })).toBe(400);
      const members = [{ account: name, role: "viewer" }];
      expect(await send("POST", "/teams", { name: "other", members })).toBe(400);
      const [mailbox, domain] = addresses(name);
      for (const email of [mailbox, domain])
        expect(await send("POST", "/users", { username: "other", password: PASSWORD, email })).toBe(400);
      for (const account of [name, mailbox, domain]) await send("POST", "/auth/password-reset", { account });
      // The last request shows that those before it were done with.
      await send("POST", "/auth/password-reset", { account: EMAIL.toUpperCase() });
      for (let turn = 0; turn < 200 && mails.length === 0; turn++) await Bun.sleep(5);
      expect(mails.map(({ to }) => to)).toEqual([EMAIL]);
    },
  );
});
