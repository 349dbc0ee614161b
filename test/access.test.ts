/**
 * Who may call what: every endpoint of the real program × nobody, each role, each scope alone, and the objects of
 * others. The table says it once more than the program does, so that a slip in either shows.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ROLES, type Role, SCOPES, type Scope, SCOPES_OF } from "../src/lib/access.ts";
import { driveClient } from "./support/drive.ts";
import { type Answer, type Client, clientOf, signIn } from "./support/session.ts";
import { resetSettings, startShared } from "./support/shared-server.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

/** `links` and `files`: reading for GET and HEAD, writing for others. `any`: every token. `none`: sessions only. */
type Rule = "public" | { role: Role; scope: Scope | "links" | "files" | "any" | "none" };

/** By path; the first match counts. */
const RULES: [path: RegExp, Rule, methods?: RegExp][] = [
  [
    /^\/admin\/v1\/auth\/(login|refresh|logout|password-reset|confirm-address|oidc(\/callback)?|passkey(\/options)?)$/,
    "public",
  ],
  [/^\/panel\/v1\/set-up\b/, "public"],
  [/^\/admin\/v1\/auth\/me$/, { role: "user", scope: "none" }, /^patch$/],
  [/^\/admin\/v1\/auth\/oidc\/test$/, { role: "admin", scope: "admin" }],
  [/^\/admin\/v1\/(auth\/me|people|mcp)$/, { role: "user", scope: "any" }],
  [/^\/admin\/v1\/(openapi\.json$|docs)/, "public"],
  [/^\/admin\/v1\/(auth|account|tokens)\b/, { role: "user", scope: "none" }],
  [/^\/admin\/v1\/(stats|links\/import)$/, { role: "admin", scope: "links" }],
  [/^\/admin\/v1\/(reports\b|links\/\{code\}\/review$)/, { role: "admin", scope: "links" }],
  [/^\/admin\/v1\/links\/\{code\}\/analytics\b/, { role: "editor", scope: "analytics:read" }],
  [/^\/admin\/v1\/(links|tags|bulk-changes|presets)\b/, { role: "editor", scope: "links" }],
  [/^\/admin\/v1\/analytics\/missing$/, { role: "admin", scope: "analytics:read" }],
  [/^\/admin\/v1\/analytics\/readers\b/, "public"],
  [/^\/admin\/v1\/analytics\/(pages|mails)\b/, { role: "editor", scope: "links" }, /^(post|patch|delete)$/],
  [/^\/admin\/v1\/analytics\//, { role: "editor", scope: "analytics:read" }],
  [/^\/admin\/v1\/teams\b/, { role: "user", scope: "any" }, /^get$/],
  [/^\/admin\/v1\/teams\b/, { role: "user", scope: "admin" }, /^patch$/],
  [/^\/admin\/v1\/teams\b/, { role: "admin", scope: "admin" }],
  [/^\/admin\/v1\/privacy$/, "public"],
  [/^\/admin\/v1\/privacy\//, { role: "admin", scope: "admin" }],
  [/^\/admin\/v1\/domains\b/, { role: "editor", scope: "any" }, /^get$/],
  [/^\/admin\/v1\/domains\b/, { role: "editor", scope: "admin" }, /^patch$/],
  [
    /^\/admin\/v1\/(users|config|domains|events|imports|mail|webhooks|system)\b/,
    { role: "admin", scope: "admin" },
  ],
  [/^\/admin\/policies\b/, { role: "admin", scope: "admin" }],
  [/^\/health\/domain$/, "public"],
  [/^\/health\b/, { role: "admin", scope: "admin" }],
  [/^\/(files|folders|shares|trash)\b/, { role: "user", scope: "files" }],
];

type Operation = { method: string; path: string; rule: Rule };
type Caller = { name: string; token: string; role: Role; scopes: readonly Scope[] | null };

const PASSWORD = "a long password";
const PARAMS: Record<string, string> = {
  id: "999999999",
  code: "nobody.has.this",
  tag: "no such tag",
  key: "no.such.key",
};

let installation: Installation;
let server: RunningWaymark;
let admin: Client;
let editor: Client;
let operations: Operation[];
const callers: Caller[] = [];

beforeAll(async () => {
  ({ installation, server, client: admin } = await startShared());
  callers.push({ name: "admin", token: admin.token, role: "admin", scopes: null });
  for (const role of ["user", "editor"] as const) {
    await admin.call("POST", "/users", { username: `an.${role}`, password: PASSWORD, role });
    const client = await signIn(server.url, PASSWORD, `an.${role}`);
    callers.push({ name: role, token: client.token, role, scopes: null });
    callers.push(await tokenCaller(client, role, SCOPES_OF[role]));
    if (role === "editor") editor = client;
  }
  for (const scope of SCOPES) callers.push(await tokenCaller(admin, "admin", [scope]));
  const document = (await (await admin.fetch("/openapi.json")).json()) as { paths: Record<string, object> };
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({
      method: method.toUpperCase(),
      path,
      rule: ruleOf(method, path),
    })),
  );
});
afterAll(() => installation.remove());

async function tokenCaller(client: Client, role: Role, scopes: readonly Scope[]): Promise<Caller> {
  const name = `token of ${role}: ${scopes.join(" ")}`;
  const { body } = await client.call("POST", "/tokens", { name: name.slice(0, 64), scopes });
  return { name, token: body.data.token, role, scopes };
}

function ruleOf(method: string, path: string): Rule {
  if (method === "options") return "public";
  const found = RULES.find(([pattern, , methods]) => pattern.test(path) && (methods?.test(method) ?? true));
  if (found === undefined) throw new Error(`${method} ${path} is not in the table: add who may call it.`);
  return found[1];
}

function mayCall({ role, scopes }: Caller, { method, rule }: Operation): boolean {
  if (rule === "public") return true;
  if (ROLES.indexOf(role) < ROLES.indexOf(rule.role)) return false;
  if (scopes === null || rule.scope === "any") return true;
  const way = method === "GET" || method === "HEAD" ? "read" : "write";
  const scope = rule.scope === "links" || rule.scope === "files" ? `${rule.scope}:${way}` : rule.scope;
  return scopes.some((one) => one === scope);
}

type Asked = { token?: string; body?: object; params?: Record<string, string> };

/** The status, and the code of a failure. */
async function ask(
  { method, path }: Operation,
  { token, body, params = PARAMS }: Asked = {},
): Promise<[number, number | null]> {
  const id = path.includes("/tus/") ? crypto.randomUUID() : params["id"];
  const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => (name === "id" ? id : params[name])!);
  const aborted = new AbortController();
  const response = await fetch(server.url + url, {
    method,
    redirect: "manual",
    signal: aborted.signal,
    headers: { ...(token !== undefined && { Authorization: `Bearer ${token}` }), "Tus-Resumable": "1.0.0" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
  const isFailure = response.status >= 400 && method !== "HEAD" && isJson;
  const code = isFailure ? ((await response.json()) as { code: number }).code : null;
  // A live stream does not end.
  aborted.abort();
  return [response.status, code];
}

test("the table has a line for every endpoint, and every line is for one", () => {
  expect(operations.length).toBeGreaterThan(60);
  const unused = RULES.filter(([pattern]) => !operations.some(({ path }) => pattern.test(path)));
  expect(unused).toEqual([]);
});

test("public endpoints let everybody in", async () => {
  for (const operation of operations.filter(({ rule }) => rule === "public")) {
    const [status, code] = await ask(operation);
    const passed = status !== 403 && (status !== 401 || code === 2002);
    expect([operation, status, passed]).toEqual([operation, status, true]);
  }
});

test("without credentials, or with wrong ones, everything else is 401", async () => {
  for (const operation of operations.filter(({ rule }) => rule !== "public")) {
    const code = operation.method === "HEAD" ? null : 1001;
    expect([operation, await ask(operation)]).toEqual([operation, [401, code]]);
    expect([operation, await ask(operation, { token: `wmk_${"0".repeat(40)}` })]).toEqual([
      operation,
      [401, code],
    ]);
  }
});

test("each role and each scope alone reaches what the table says, and nothing else", async () => {
  for (const operation of operations.filter(({ rule }) => rule !== "public")) {
    await Promise.all(
      callers.map(async (caller) => {
        // Others use this server too.
        if (operation.path.endsWith("/config/restart") && mayCall(caller, operation)) return;
        const [status, code] = await ask(operation, { token: caller.token });
        const refused = status === 401 || (status === 403 && (code === 1003 || code === null));
        const where = `${operation.method} ${operation.path} as ${caller.name}: ${status}`;
        expect([where, !refused]).toEqual([where, mayCall(caller, operation)]);
      }),
    );
  }
});

test("the OpenAPI document says the same", async () => {
  const { paths } = (await (await admin.fetch("/openapi.json")).json()) as {
    paths: Record<string, Record<string, { security?: Record<string, string[]>[] }>>;
  };
  for (const operation of operations) {
    const { security } = paths[operation.path]![operation.method.toLowerCase()]!;
    const where = `${operation.method} ${operation.path}`;
    if (operation.rule === "public") {
      expect([where, security]).toEqual([where, []]);
      continue;
    }
    const { role } = operation.rule;
    expect([where, security!.find((one) => "bearer" in one)]).toEqual([
      where,
      { bearer: role === "user" ? [] : [role] },
    ]);
    const documented = security!.find((one) => "token" in one)?.["token"];
    const reaching = callers
      .filter(({ scopes }) => scopes?.length === 1)
      .filter((one) => mayCall(one, operation));
    const needed = operation.rule.scope === "any" ? [] : reaching.flatMap(({ scopes }) => scopes!);
    expect([where, documented]).toEqual([where, operation.rule.scope === "none" ? undefined : needed]);
  }
});

describe("an editor", () => {
  const target = "https://example.com/";
  const mine = { code: "edited", target };
  const foreign = { code: "admins", target, password: "a secret" };
  const link = (code: string) => admin.call("GET", `/links/${code}`);

  beforeAll(async () => {
    await admin.call("POST", "/links", foreign);
    expect((await editor.call("POST", "/links", mine)).body.data).toMatchObject({ code: mine.code });
  });

  test("finds nothing under the codes of others, by any endpoint", async () => {
    const byCode = operations.filter(({ path }) => path.startsWith("/admin/v1/links/{code}"));
    const reachable = byCode.filter(({ rule }) => rule !== "public" && rule.role === "editor");
    expect(reachable.length).toBeGreaterThan(4);
    const params = { code: foreign.code, id: "1" };
    const tokens = callers.filter(({ role }) => role === "editor").map(({ token }) => token);
    for (const operation of reachable) {
      for (const token of tokens) {
        const body = operation.method === "GET" ? {} : { body: { target: "https://example.org/" } };
        const answer = await ask(operation, { token, params, ...body });
        expect([operation, answer]).toEqual([operation, [404, 3000]]);
      }
    }
    expect((await link(foreign.code)).body.data.target).toBe(target);
  });

  test("does not overwrite them, nor change or delete them in a batch", async () => {
    expect((await editor.call("POST", "/links", { ...foreign, force: true })).status).toBe(409);
    const codes = ({ body }: Answer) => [
      body.data.success,
      body.data.failed.map((one: { error_code: number }) => one.error_code),
    ];
    const created = await editor.call("POST", "/links/batch", { links: [{ ...foreign, force: true }] });
    expect(codes(created)).toEqual([[], [3001]]);
    const payload = { target: "https://example.org/" };
    const updates = [foreign, mine].map(({ code }) => ({ code, payload }));
    expect(codes(await editor.call("PUT", "/links/batch", { updates }))).toEqual([[mine.code], [3000]]);
    const removed = await editor.call("DELETE", "/links/batch", { codes: [foreign.code, "none"] });
    expect(codes(removed)).toEqual([[], [3000, 3000]]);
    expect((await link(foreign.code)).body.data.target).toBe(target);
  });

  test("reaches own links only by a filter, too", async () => {
    const everything = { filter: {}, confirm: "all" };
    const counted = await editor.call("POST", "/links/batch/query", {
      ...everything,
      action: "delete",
      dry_run: true,
    });
    expect([counted.status, counted.body.data.matched]).toEqual([200, 1]);
    const update = { ...everything, action: "update", set: { title: "changed" } };
    const changed = (await editor.call("POST", "/links/batch/query", update)).body.data;
    expect(changed.matched).toBe(1);
    expect((await link(foreign.code)).body.data.title).toBeNull();
    expect((await link(mine.code)).body.data.title).toBe("changed");
    const { change } = changed;
    expect((await admin.call("POST", "/links/batch/undo", { change })).body.data.restored).toBe(0);
    expect((await editor.call("POST", "/links/batch/undo", { change })).body.data).toEqual({
      restored: 1,
      failed: [],
      next: null,
    });
    expect((await link(mine.code)).body.data.title).toBeNull();
  });

  test("neither sees nor puts back deleted links of others, nor their tags", async () => {
    const tagged = { code: "deleted.by.admin", target, tags: ["secret"] };
    await admin.call("POST", "/links", tagged);
    expect((await admin.call("GET", "/tags")).body.data).toContainEqual({ tag: "secret", links: 1 });
    expect((await editor.call("GET", "/tags")).body.data).toEqual([]);
    expect((await editor.call("DELETE", "/tags/secret")).status).toBe(404);
    await admin.call("DELETE", `/links/${tagged.code}`);
    const { id } = (await admin.call("GET", "/links/deleted")).body.data[0];
    expect((await editor.call("GET", "/links/deleted")).body.data).toEqual([]);
    expect((await editor.call("POST", `/links/deleted/${id}/restore`, {})).status).toBe(404);
    expect((await admin.call("POST", `/links/deleted/${id}/restore`, {})).status).toBe(200);
  });

  test("lists and exports own links only, and reads, changes and deletes them", async () => {
    const listed = await editor.call("GET", "/links?search=example");
    expect([
      listed.body.data.map(({ code }: { code: string }) => code),
      listed.body.pagination!.total,
    ]).toEqual([[mine.code], 1]);
    const exported = await (await editor.fetch("/links/export")).text();
    expect(
      exported
        .trimEnd()
        .split("\n")
        .slice(1)
        .map((row) => row.split(",")[0]),
    ).toEqual([mine.code]);
    expect((await editor.call("GET", `/links/${mine.code}/analytics`)).status).toBe(200);
    expect((await editor.call("PUT", `/links/${mine.code}`, { target })).body.data.target).toBe(target);
    expect((await editor.call("DELETE", `/links/${mine.code}`)).status).toBe(200);
  });
});

test("editors choose the codes of shares, as of links; users may not", async () => {
  for (const [role, status] of [
    ["editor", 201],
    ["user", 403],
  ] as const) {
    const drive = driveClient(server.url, callers.find(({ name }) => name === role)!.token);
    const folder = await drive.folder("shared");
    const answer = await drive.call("POST", `/folders/${folder}/share`, { code: `share-of-${role}` });
    expect([role, answer.status]).toEqual([role, status]);
  }
});

test("events of what a token changes name the token", async () => {
  const { name, token } = callers.find(({ role, scopes }) => role === "admin" && scopes?.[0] === "admin")!;
  const key = "/config/features.default_url";
  await clientOf(server.url, token).call("PUT", key, { value: "https://example.com/home" });
  const { body } = await admin.call("GET", `${key}/history`);
  expect(body.data[0].changed_by).toBe(`token:${name}`);
  await resetSettings(admin, ["features.default_url"]);
});

test("files and folders of others are 404 to everybody, administrators too", async () => {
  const owner = driveClient(server.url, callers.find(({ name }) => name === "user")!.token);
  const folder = await owner.folder("own");
  const file = (await owner.upload("own.txt", "text")).body.data.id as number;
  const byId = operations.filter(({ path }) => /^\/(files|folders)\/\{id\}/.test(path));
  expect(byId.length).toBeGreaterThan(8);
  for (const operation of byId) {
    const isFile = operation.path.startsWith("/files");
    const params = { id: String(isFile ? file : folder), code: "none" };
    const given = operation.path.endsWith("/drop") ? { max_bytes: 1, max_files: 1 } : {};
    const body = operation.method === "GET" || operation.method === "HEAD" ? {} : { body: given };
    const [status, code] = await ask(operation, { token: admin.token, params, ...body });
    expect([operation, status]).toEqual([operation, 404]);
    if (code !== null) expect([operation, code]).toEqual([operation, isFile ? 7000 : 7001]);
  }
});
