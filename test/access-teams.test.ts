/**
 * What members of a team may do with what it owns, by each role, each scope, and over each endpoint: nobody else finds
 * it, viewers read, editors change, managers give it away.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { SCOPES, type Scope, SCOPES_OF } from "../src/lib/access.ts";
import { type Client, clientOf, signIn } from "./support/session.ts";
import { startShared } from "./support/shared-server.ts";
import { ALL, MANAGES, MEMBERS, READS, type Way, type Who, WRITES } from "./support/team-ways.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

const PASSWORD = "a long password";
const target = "https://example.com/";

let installation: Installation;
let server: RunningWaymark;
let admin: Client;
let team: number;
let paths: Record<string, Record<string, Operation>>;
const clients = {} as Record<Who, Client>;

beforeAll(async () => {
  ({ installation, server, client: admin } = await startShared());
  clients.admin = admin;
  for (const who of ["stranger", ...MEMBERS] as const) {
    const username = `links.${who}`;
    await admin.call("POST", "/users", { username, password: PASSWORD, role: "editor" });
    clients[who] = await signIn(server.url, PASSWORD, username);
  }
  const members = MEMBERS.map((role) => ({ account: `links.${role}`, role }));
  team = (await admin.call("POST", "/teams", { name: "links-press", members })).body.data.id;
  // One with whose links the stranger may do everything.
  const others = [{ account: "links.stranger", role: "manager" }];
  await admin.call("POST", "/teams", { name: "links-sales", members: others });
  ({ paths } = (await (await admin.fetch("/openapi.json")).json()) as { paths: typeof paths });
});
afterAll(() => installation.remove());

/** The team has it again, whoever changed or deleted it. */
async function fresh(): Promise<void> {
  await admin.call("DELETE", "/links/team%2Fours");
  const made = await admin.call("POST", "/links", { code: "team/ours", target, owner: "team:links-press" });
  expect(made.body.data.owner).toBe("team:links-press");
}

async function wayOf(client: Client, method: string, path: string, body?: object): Promise<Way> {
  const aborted = new AbortController();
  const response = await fetch(server.url + path, {
    method,
    signal: aborted.signal,
    headers: { Authorization: `Bearer ${client.token}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const { code = 0 } = response.ok ? {} : ((await response.json()) as { code?: number });
  aborted.abort();
  // LinkNotFound, or a team or domain that is not there for the caller.
  if (response.status === 404 && (code === 3000 || !path.includes("/links/"))) return "hidden";
  return response.status === 403 || response.status === 401 ? "refused" : "let in";
}

type Operation = { security?: Record<string, string[]>[] };
const isOfAdmins = ({ security = [] }: Operation): boolean =>
  security.some(({ bearer }) => bearer?.[0] === "admin");

const ofLinks = () =>
  Object.entries(paths)
    .filter(([path]) => path.startsWith("/admin/v1/links/{code}"))
    .flatMap(([path, methods]) =>
      Object.keys(methods)
        .map((name) => name.toUpperCase())
        .filter((method) => method !== "OPTIONS")
        .map((method) => ({
          method,
          path: path.replace("{code}", "team/ours"),
          ofAdmins: isOfAdmins(methods[method.toLowerCase()]!),
        })),
    );

test("every endpoint of a link lets those in whom their role in its team allows", async () => {
  const operations = ofLinks();
  expect(operations.length).toBeGreaterThan(6);
  for (const { method, path, ofAdmins } of operations) {
    for (const who of ALL) {
      await fresh();
      const { id } = (await admin.call("GET", "/links/team%2Fours/history")).body.data[0];
      const isRead = method === "GET" || method === "HEAD";
      const body = isRead ? undefined : method === "POST" ? {} : { target };
      const way = await wayOf(clients[who], method, path.replace("{id}", String(id)), body);
      const expected = ofAdmins && who !== "admin" ? "refused" : (isRead ? READS : WRITES)[who];
      expect([method, path, who, way]).toEqual([method, path, who, expected]);
    }
  }
});

test("lists, reports, batches and filters have its links for members only, and give them away for managers", async () => {
  const payload = { target };
  for (const who of ALL) {
    await fresh();
    const client = clients[who];
    const seen = who === "stranger" ? 0 : 1;
    const filter = { filter: { team: "links-press" }, action: "update", set: { title: who } };
    const batch = async (body: object) => (await client.call("PUT", "/links/batch", body)).body.data;
    const give = {
      code: "team/ours",
      payload: { target, owner: who === "admin" ? "admin" : `links.${who}` },
    };
    const told = [
      (await client.call("GET", "/links?team=links-press")).body.data.length,
      (await client.call("GET", "/analytics/top?team=links-press")).status,
      (await client.call("POST", "/links/batch/query", filter)).body.data.changed,
      (await batch({ updates: [{ code: "team/ours", payload }] })).failed.map(
        (one: { error_code: number }) => one.error_code,
      ),
      (await batch({ updates: [give] })).failed.map((one: { error_code: number }) => one.error_code),
    ];
    const mayWrite = who !== "stranger" && who !== "viewer";
    const refused = who === "stranger" ? [3000] : mayWrite ? [] : [1003];
    const kept = who === "editor" ? [1003] : refused;
    expect([who, ...told]).toEqual([who, seen, 200, mayWrite ? 1 : 0, refused, kept]);
  }
  await fresh();
  for (const who of ALL) {
    await fresh();
    await admin.call("DELETE", "/links/team%2Fours");
    const { id } = (await admin.call("GET", "/links/deleted?team=links-press")).body.data[0];
    const listed = (await clients[who].call("GET", "/links/deleted?team=links-press")).body.data.length;
    const way = await wayOf(clients[who], "POST", `/admin/v1/links/deleted/${id}/restore`, {});
    expect([who, listed > 0, way]).toEqual([who, who !== "stranger", WRITES[who]]);
  }
});

test("its domain takes links of its editors, and leads where they say", async () => {
  const { id } = (
    await admin.call("POST", "/domains", { host: "links-press.example", owner: "team:links-press" })
  ).body.data;
  for (const who of ALL) {
    const client = clients[who];
    const hosts = (await client.call("GET", "/domains")).body.data.map(({ host }: { host: string }) => host);
    expect([who, hosts.includes("links-press.example")]).toEqual([who, who !== "stranger"]);
    const made = await wayOf(client, "POST", "/admin/v1/links", { target, domain: "links-press.example" });
    expect([who, made]).toEqual([who, who === "stranger" ? "refused" : WRITES[who]]);
    const domain = `/admin/v1/domains/${id}`;
    expect([who, await wayOf(client, "PATCH", domain, { default_url: target })]).toEqual([who, WRITES[who]]);
    const owner = who === "admin" ? "admin" : `links.${who}`;
    expect([who, await wayOf(client, "PATCH", domain, { owner })]).toEqual([who, MANAGES[who]]);
    await admin.call("PATCH", `/domains/${id}`, { owner: "team:links-press" });
    const host = await wayOf(client, "PATCH", domain, { host: `${who}.example` });
    expect([who, host]).toEqual([who, who === "admin" || who === "stranger" ? READS[who] : "refused"]);
    await admin.call("PATCH", `/domains/${id}`, { host: "links-press.example" });
    expect([who, await wayOf(client, "DELETE", domain)]).toEqual([
      who,
      who === "admin" ? "let in" : "refused",
    ]);
  }
});

test("members see it, managers change its members, administrators delete it", async () => {
  for (const who of ALL) {
    const path = `/admin/v1/teams/${team}`;
    expect([who, await wayOf(clients[who], "GET", path)]).toEqual([who, READS[who]]);
    const renamed = await wayOf(clients[who], "PATCH", path, { name: "links-press" });
    const managing: Record<Who, Way> = { ...MANAGES, viewer: "refused" };
    expect([who, renamed]).toEqual([who, managing[who]]);
    if (who !== "admin") expect([who, await wayOf(clients[who], "DELETE", path)]).toEqual([who, "refused"]);
  }
});

test("each scope of an editor's token reaches what it names, of the team too", async () => {
  for (const scope of SCOPES_OF.editor) {
    await fresh();
    const made = await clients.editor.call("POST", "/tokens", { name: scope, scopes: [scope] });
    const token = clientOf(server.url, made.body.data.token);
    const may = (needed: Scope): Way => (scope === needed ? "let in" : "refused");
    const ways = [
      await wayOf(token, "GET", "/admin/v1/links/team%2Fours"),
      await wayOf(token, "PATCH", "/admin/v1/links/team%2Fours", { title: "x" }),
      await wayOf(token, "GET", "/admin/v1/links/team%2Fours/analytics"),
      await wayOf(token, "GET", `/admin/v1/teams/${team}`),
    ];
    expect<unknown[]>([scope, ...ways]).toEqual([
      scope,
      may("links:read"),
      may("links:write"),
      may("analytics:read"),
      "let in",
    ]);
  }
  expect(SCOPES.length).toBeGreaterThan(SCOPES_OF.editor.length);
});

test("who leaves it finds nothing more with the next request", async () => {
  await fresh();
  const members = [{ account: "links.manager", role: "manager" }];
  await clients.manager.call("PATCH", `/teams/${team}`, { members });
  for (const who of ["viewer", "editor"] as const) {
    expect([who, await wayOf(clients[who], "PATCH", "/admin/v1/links/team%2Fours", { title: "y" })]).toEqual([
      who,
      "hidden",
    ]);
  }
  expect((await admin.call("DELETE", `/teams/${team}`)).status).toBe(409);
});
