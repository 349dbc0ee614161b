/** The commands on a real database, beside a running server. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { Command } from "commander";
import { createOutput } from "../platform/cli/output.ts";
import { addAuthCommands } from "./auth.commands.ts";
import { codeAt } from "./second-factor/totp.test-support.ts";
import {
  ADMIN_PASSWORD,
  type AuthHarness,
  Browser,
  createTestFolder,
  startAuth,
} from "./auth.test-support.ts";

const folder = createTestFolder();
let server: AuthHarness;
let cli: AuthHarness;

type Typed = { stdin?: string; answers?: string[] };

/** `stdin` is the piped input; `answers` are typed at the prompts. */
async function run(line: string, { stdin = "", answers = [] }: Typed = {}) {
  const printed = { out: "", err: "" };
  const context = {
    services: async () => ({ auth: cli.auth, leases: { untilServersRead: async () => true } }),
    output: createOutput(
      { write: (text) => (printed.out += text) },
      { write: (text) => (printed.err += text) },
    ),
    input: { text: async () => stdin, secret: async () => answers.shift() ?? "", confirm: async () => false },
  } as unknown as Parameters<typeof addAuthCommands>[1];
  const program = new Command().exitOverride().configureOutput({ writeErr: () => {} });
  addAuthCommands(program, context);
  let error: unknown;
  try {
    await program.parseAsync(line.split(" "), { from: "user" });
  } catch (thrown) {
    error = thrown;
  }
  await server.changes.poll();
  return { ...printed, error };
}

beforeAll(async () => {
  [cli, server] = [await startAuth(await folder.open()), await startAuth(await folder.open())];
});

beforeEach(() => {
  server.time.now += 60_000;
  cli.time.now = server.time.now;
});

afterAll(() => folder.remove());

test("rename says what an account or the built-in administrator is called", async () => {
  expect((await run("users rename admin Mia")).err).toContain("Account 'admin' is called Mia.");
  expect((await server.auth.contacts.get(0)).displayName).toBe("Mia");
  expect((await run("users rename admin")).err).toContain("has no display name");
  expect((await server.auth.contacts.get(0)).displayName).toBeNull();
});

describe("reset-password", () => {
  test("works without an earlier password and enables the admin API of a running server", async () => {
    expect(server.auth.isAdminEnabled()).toBe(false);
    const { out, error } = await run("reset-password --stdin", { stdin: ADMIN_PASSWORD });
    expect([out, error]).toEqual(["", undefined]);
    expect(server.auth.isAdminEnabled()).toBe(true);
    expect((await new Browser(server).login(ADMIN_PASSWORD)).status).toBe(200);
  });

  test("asks twice and ends only the administrator's sessions", async () => {
    await server.auth.users.create({
      username: "bob",
      password: ADMIN_PASSWORD,
      role: "admin",
      disabled: false,
    });
    const [admin, bob] = [new Browser(server), new Browser(server)];
    await admin.login(ADMIN_PASSWORD);
    await bob.login(ADMIN_PASSWORD, "bob");
    const answers = ["a new password", "a new password"];
    expect((await run("reset-password", { answers })).error).toBeUndefined();
    expect([await admin.status(), await bob.status()]).toEqual([401, 200]);
    expect((await admin.login("a new password")).status).toBe(200);
  });

  test.each([
    ["reset-password", { answers: ["a new password", "a new passwort"] }, "differ"],
    ["reset-password", { answers: ["short"] }, "at least 8"],
    ["reset-password --stdin", { stdin: "" }, "at least 8"],
    ["reset-password --stdin", { stdin: "x".repeat(1025) }, "at most 1024"],
  ] as const)("%s with %p changes nothing", async (line, typed, message) => {
    const before = server.config.get("api.admin_token");
    const { error } = await run(line, typed as Typed);
    expect(error).toMatchObject({ name: "BadRequest", message: expect.stringContaining(message) });
    expect(server.config.get("api.admin_token")).toBe(before);
  });
});

test("teams add, change, list and remove keep members and quota", async () => {
  const team = async (line: string) => JSON.parse((await run(`${line} --json`)).out);
  const members = [{ account: "admin", role: "editor" }];
  const press = { name: "press", members, quota_bytes: 5_000 };
  expect(await team("teams add press --member admin:editor --quota 5000")).toMatchObject(press);
  expect((await run("teams list")).out).toMatch(/press +5000 +admin:editor/);
  expect(await team("teams change press --name media")).toMatchObject({ ...press, name: "media" });
  expect(await team("teams change media --quota 0")).toMatchObject({ members, quota_bytes: 0 });
  for (const wrong of ["a-lot", "-1", "1.5"]) {
    expect((await run(`teams change media --quota ${wrong}`)).error).toMatchObject({
      message: expect.stringMatching(/^quota_bytes must be /),
    });
  }
  expect(await team("teams change media --no-members")).toMatchObject({ members: [] });
  await run("teams remove media");
  expect(await team("teams list")).toEqual([]);
});

describe("users", () => {
  const PASSWORD = "a password for users";

  test("add, list, passwd, disable, enable and remove apply to a running server", async () => {
    const added = await run("users add Carol --role admin --stdin --json", { stdin: PASSWORD });
    expect(JSON.parse(added.out)).toMatchObject({ username: "carol", role: "admin", disabled: false });
    const carol = new Browser(server);
    expect((await carol.login(PASSWORD, "carol")).status).toBe(200);

    expect((await run("users passwd carol --stdin", { stdin: "another password" })).error).toBeUndefined();
    expect(await carol.status()).toBe(401);
    expect((await carol.login("another password", "carol")).status).toBe(200);

    await run("users disable CAROL");
    expect(await carol.status()).toBe(401);
    server.time.now += 60_000;
    expect((await carol.login("another password", "carol")).status).toBe(401);
    expect((await run("users list")).out).toMatch(/carol +admin +true/);

    const enabled = await run("users enable carol --json");
    expect(JSON.parse(enabled.out)).toMatchObject({ disabled: false });
    expect((await carol.login("another password", "carol")).status).toBe(200);

    expect((await run("users remove carol")).err).toContain("'carol' removed");
    expect(await carol.status()).toBe(401);
    expect(JSON.parse((await run("users list --json")).out)).not.toContainEqual(
      expect.objectContaining({ username: "carol" }),
    );
  });

  test("list prints all pages and no hash", async () => {
    const database = await folder.open();
    const row = {
      password_hash: "$argon2id$secret",
      role: "user",
      disabled: 0,
      quota_bytes: 0,
      created_at: 0,
      updated_at: 0,
    };
    const rows = Array.from({ length: 205 }, (_, n) => ({ ...row, username: `many-${1000 + n}` }));
    await database.dialect.insertMany(database.write, "users", rows);
    const { out } = await run("users list --json");
    expect(out).not.toContain("argon2");
    expect((JSON.parse(out) as unknown[]).length).toBeGreaterThanOrEqual(205);
  });

  test.each([
    ["users add admin --stdin", "Conflict"],
    ["users add bad/name --stdin", "BadRequest"],
    ["users add dora --role root --stdin", "BadRequest"],
    ["users passwd nobody --stdin", "NotFound"],
    ["users passwd admin --stdin", "BadRequest"],
    ["users remove admin", "BadRequest"],
    ["users disable nobody", "NotFound"],
  ])("%s fails with %s", async (line, name) => {
    expect((await run(line, { stdin: PASSWORD })).error).toMatchObject({ name });
  });
});

describe("tokens", () => {
  const status = async (token: string) =>
    (
      await server.request("GET", "/admin/v1/probe/account", {
        headers: { Authorization: `Bearer ${token}` },
      })
    ).status;

  test("add prints the token alone, list names it, revoke ends it on a running server", async () => {
    await run("users add tina --role editor --stdin", { stdin: "a password for tina" });
    const added = await run("tokens add ci --scope files:read links:write --user Tina --expires 90d");
    const token = added.out.trim();
    expect(token).toMatch(/^wmk_[A-Za-z0-9]{40}$/);
    expect(await status(token)).toBe(200);
    const own = JSON.parse((await run("tokens add mine --scope admin --json")).out);
    expect(own).toMatchObject({ username: "admin", scopes: ["admin"], expires_at: null });

    const rows = JSON.parse((await run("tokens list --json")).out);
    const [first, second] = rows;
    expect(rows).toHaveLength(2);
    expect(first).toMatchObject({ name: "ci", username: "tina", scopes: ["links:write", "files:read"] });
    expect(second).toMatchObject({ id: own.id, name: "mine", username: "admin" });
    expect((await run("tokens list")).out).toContain("links:write files:read");
    expect(JSON.parse((await run("tokens list --user admin --json")).out)).toHaveLength(1);

    expect((await run(`tokens revoke ${first.id}`)).err).toBe(`Token ${first.id} 'ci' revoked.\n`);
    expect(await status(token)).toBe(401);
  });

  test.each([
    ["tokens add x", "--scope"],
    ["tokens add x --scope root", "scopes.0 must be one of links:read"],
    ["tokens add x --scope admin --user tina", "can't give a token the scope admin"],
    ["tokens add x --scope admin --user nobody", "no such account"],
    ["tokens add x --scope admin --expires yesterday", "expires_at must"],
    ["tokens list --user nobody", "no such account"],
    ["tokens revoke 999999", "no such token"],
    ["tokens revoke ci", "needs the ID"],
  ])("'%s' is refused with a reason", async (line, reason) => {
    const { error } = await run(line);
    expect(String(error)).toContain(reason);
  });
});

test("sessions are listed and ended by a command", async () => {
  await server.auth.resetAdminPassword(ADMIN_PASSWORD, "test");
  const browser = new Browser(server, "192.0.2.77");
  await browser.login(ADMIN_PASSWORD);
  const { out } = await run("sessions list --json");
  const session = (JSON.parse(out) as { id: string; address: string }[]).find(
    ({ address }) => address === "192.0.2.77",
  )!;
  expect((await run("sessions list ADMIN")).out).toContain(session.id);
  expect((await run("sessions list nobody")).error).toMatchObject({ name: "NotFound" });
  expect((await run(`sessions end ${session.id}`)).err).toBe(`Session ${session.id} ended.\n`);
  expect(await browser.status()).toBe(401);
  expect((await run(`sessions end ${session.id}`)).error).toMatchObject({ name: "NotFound" });
});

test("users reset-2fa removes the second factor, of the built-in administrator too", async () => {
  const TOTP = "/admin/v1/account/totp";
  const browser = new Browser(server, "192.0.2.78");
  await server.auth.resetAdminPassword(ADMIN_PASSWORD, "test");
  await browser.login(ADMIN_PASSWORD);
  const { json } = await browser.send("POST", TOTP, { body: { password: ADMIN_PASSWORD } });
  const code = codeAt(String(json.data!["secret"]), server.time.now);
  await browser.send("POST", `${TOTP}/confirm`, { body: { code } });
  expect((await new Browser(server, "192.0.2.79").login(ADMIN_PASSWORD)).status).toBe(401);
  expect((await run("users reset-2fa admin")).err).toBe(
    "Account 'admin' signs in with its password alone again.\n",
  );
  expect(await browser.status()).toBe(401);
  expect((await new Browser(server, "192.0.2.79").login(ADMIN_PASSWORD)).status).toBe(200);
  expect((await run("users reset-2fa admin")).error).toMatchObject({ name: "NotFound" });
  expect((await run("users reset-2fa nobody")).error).toMatchObject({ name: "NotFound" });
});
