import { useOnce } from "../account.repository.ts";
import { beforeAll, expect, test } from "bun:test";
import type { Database } from "../../platform/db/database.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { createOidcRepository } from "./repository.ts";

forEachDialect((dialect) => {
  let database: Database;
  beforeAll(async () => void (database = await dialect.openDb()));

  const addUser = (username: string) =>
    database.dialect.insertReturningId(database.write, "users", {
      username,
      password_hash: "",
      role: "user",
      disabled: 0,
      quota_bytes: 0,
      created_at: 1,
      updated_at: 1,
    });

  test("an identity is compared by bytes, belongs to one account, and goes with it", async () => {
    const { write } = database;
    const repository = createOidcRepository(database);
    const id = await addUser("known");
    const identity = { issuer: "https://id.example.com", subject: "Anna" };
    await repository.add(write, id, identity, 1);
    expect(await repository.findAccount(write, identity)).toBe(id);
    for (const other of [
      { ...identity, subject: "anna" },
      { ...identity, issuer: `${identity.issuer}/` },
    ])
      expect(await repository.findAccount(write, other)).toBeNull();
    await expect(repository.add(write, id, identity, 1)).rejects.toMatchObject({ name: "Conflict" });
    await repository.markUsed(write, identity, 2);
    expect(await repository.takenNames(write, ["known", "free"])).toEqual(new Set(["known"]));
    await write.deleteFrom("users").where("id", "=", id).execute();
    expect(await repository.findAccount(write, identity)).toBeNull();
  });

  test("of several callbacks with one state one signs in, and a failed one leaves it", async () => {
    const secret = crypto.randomUUID();
    const take = () =>
      database
        .transaction((tx) => useOnce(tx, { kind: "oidc", secret }, { end: 2, now: 1 }))
        .catch(() => false);
    const failing = database.transaction(async (tx) => {
      await useOnce(tx, { kind: "oidc", secret }, { end: 2, now: 1 });
      throw new Error("the sign-in failed");
    });
    await expect(failing).rejects.toThrow("the sign-in failed");
    const taken = await Promise.all([take(), take(), take()]);
    expect(taken.toSorted()).toEqual([false, false, true]);
    expect(await take()).toBe(false);
  });

  test("an ID token of any length goes with its session", async () => {
    const { write } = database;
    const repository = createOidcRepository(database);
    const session = { user_id: 0, created_at: 1, expires_at: 2, refresh_jti: "a" };
    const id = crypto.randomUUID();
    await write
      .insertInto("sessions")
      .values({ ...session, id })
      .execute();
    const sealed = "x".repeat(20_000);
    await repository.keepIdToken(write, id, sealed);
    expect(await repository.findIdToken(["another", id])).toBe(sealed);
    await write.deleteFrom("sessions").where("id", "=", id).execute();
    expect(await repository.findIdToken([id])).toBeNull();
    expect(await repository.findIdToken([])).toBeNull();
  });
});
