/** Who did what, and undo, with the real program over HTTP and on the command line. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Client, whenAllowed } from "./support/session.ts";
import { resetSettings, startShared } from "./support/shared-server.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

const TARGET = "https://example.com/";
const began = new Date().toISOString();

let installation: Installation;
let server: RunningWaymark;
let client: Client;
beforeAll(async () => {
  ({ installation, server, client } = await startShared("events"));
});
afterAll(() => resetSettings(client, ["features.random_code_length"]));

type Row = { id: number; action: string; subject: string; actor: string; via: string };
const rows = async (path: string): Promise<Row[]> => (await client.call("GET", path)).body.data;
const actions = async (path: string) => (await rows(path)).map(({ action }) => action);

test("events tell who did what, with filters and pages", async () => {
  await client.call("POST", "/links", { code: "events-told", target: TARGET });
  await client.call("PUT", "/config/features.random_code_length", { value: "7" });
  const user = { username: "events.anna", password: "a long password", role: "editor" };
  const { id } = (await client.call("POST", "/users", user)).body.data;
  await client.call("PATCH", `/users/${id}`, { password: "another password" });
  await client.call("DELETE", `/users/${id}`);
  expect(await actions("/events?subject=events.anna")).toEqual([
    "account.delete",
    "account.update",
    "account.create",
  ]);
  const [setting] = (await client.call("GET", "/events?action=setting.update&actor=events")).body.data;
  expect(setting).toMatchObject({
    subject: "features.random_code_length",
    before: { value: "6" },
    after: { value: "7" },
  });
  expect((await actions("/events?action=sign_in.success")).length).toBeGreaterThan(0);
  const all = await client.call("GET", `/events?limit=100&from=${began}`);
  expect(all.body).toMatchObject({ next_cursor: null });
  expect(JSON.stringify(all.body)).not.toContain("argon2");
  const first = await client.call("GET", "/events?limit=2");
  const { next_cursor: cursor } = first.body as unknown as { next_cursor: string };
  const second = await rows(`/events?limit=2&cursor=${cursor}`);
  expect([...first.body.data, ...second].map((row: Row) => row.id)).toEqual(
    all.body.data.slice(0, 4).map((row: Row) => row.id),
  );
  const long = await client.call("GET", `/events?cursor=${encodeURIComponent("\u{1F600}".repeat(1_001))}`);
  expect(long.status).toBe(400);
  expect(long.body.message).toBe("cursor must have at most 1,000 characters.");
  expect(await actions("/events?from=2099-01-01T00:00:00Z")).toEqual([]);
  expect((await client.call("GET", "/events?from=yesterday")).status).toBe(400);
});

test("the event of a sign-in says whether a browser or a program did it", async () => {
  const attempt = async (username: string, headers: Record<string, string>) => {
    await client.fetch("/auth/login", {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify({ username, password: "wrong password" }),
    });
    return (await rows("/events?action=sign_in.failure&limit=1"))[0]!.via;
  };
  expect(await attempt("nobody.at.all", {})).toBe("api");
  expect(await attempt("nobody.at.all", { Origin: new URL(server.url).origin })).toBe("panel");
  expect((await rows("/events?action=sign_in.success&subject=events")).map(({ via }) => via)).toEqual([
    "api",
  ]);
});

test("a failed sign-in with an unknown name is recorded without it", async () => {
  const post = async (username: string): Promise<void> => {
    const body = JSON.stringify({ username, password: "wrong password" });
    const headers = { "Content-Type": "application/json" };
    const send = () => client.fetch("/auth/login", { method: "POST", body, headers });
    expect((await whenAllowed(send)).status).toBe(401);
  };
  await post("events");
  await post("my-password-by-mistake");
  const found = await rows("/events?action=sign_in.failure");
  expect(found.slice(0, 2).map(({ subject }) => subject)).toEqual(["unknown", "events"]);
});

test("the history of a link survives its restoration, and a code that ends in /history reaches its link", async () => {
  await client.call("POST", "/links", { code: "events-a", target: TARGET });
  await client.call("DELETE", "/links/events-a");
  const [{ id }] = (await client.call("GET", "/links/deleted")).body.data;
  await client.call("POST", `/links/deleted/${id}/restore`, { code: "events-b" });
  expect(await actions("/links/events-b/history")).toEqual(["link.restore", "link.delete", "link.create"]);
  expect((await client.call("GET", "/links/events-a/history")).status).toBe(404);
  await client.call("POST", "/links", { code: "events-b/history", target: `${TARGET}2` });
  const read = await client.call("GET", "/links/events-b/history");
  expect([read.body.data.target, read.headers.has("etag")]).toEqual([`${TARGET}2`, true]);
  expect(await actions("/links/events-b/history/history")).toEqual(["link.create"]);
});

test("a link goes back to an earlier state and keeps its code and password", async () => {
  const first = { target: TARGET, title: "one", tags: ["x"], expires_at: "2099-01-01T00:00:00Z" };
  await client.call("POST", "/links", { code: "events-back", ...first });
  const empty = { title: "", tags: [], expires_at: "", password: "secret", redirect_status: 301 };
  await client.call("PUT", "/links/events-back", { target: `${TARGET}2`, ...empty });
  const [updated, created] = await rows("/links/events-back/history");
  const restore = (id: number, body?: object) =>
    client.call("POST", `/links/events-back/history/${id}/restore`, body);
  const told = { target: TARGET, title: "one", tags: ["x"], redirect_status: 307, password: "[REDACTED]" };
  expect((await restore(created!.id)).body.data).toMatchObject(told);
  expect((await restore(updated!.id, { state: "after" })).body.data.target).toBe(`${TARGET}2`);
  expect((await restore(updated!.id, { state: "before" })).body.data).toMatchObject(told);
  expect(await actions("/links/events-back/history")).toHaveLength(5);
  expect((await restore(created!.id, { state: "before" })).status).toBe(404);
  const [other] = await rows("/events?action=setting.update");
  expect((await restore(other!.id)).status).toBe(404);
});

test("a change of the owner is undone as a state of the history, others leave the owner", async () => {
  await client.call("POST", "/users", { username: "heir", password: "heir-password-1", role: "editor" });
  await client.call("POST", "/links", { code: "events-owned", target: TARGET });
  const { owner: first } = (await client.call("GET", "/links/events-owned")).body.data;
  const restore = async (id: number, state: "before" | "after") =>
    (await client.call("POST", `/links/events-owned/history/${id}/restore`, { state })).body.data.owner;
  await client.call("PATCH", "/links/events-owned", { title: "one" });
  await client.call("PATCH", "/links/events-owned", { owner: "heir" });
  const [given, titled] = await rows("/links/events-owned/history");
  expect(await restore(titled!.id, "before")).toBe("heir");
  expect(await restore(given!.id, "before")).toBe(first);
  expect(await restore(given!.id, "after")).toBe("heir");
});

test("the commands list events and the history of a link", async () => {
  await client.call("POST", "/links", { code: "events-cli", target: TARGET });
  const listed = await installation.run(["events", "--subject", "events-cli", "--json"]);
  expect(JSON.parse(listed)).toMatchObject([{ action: "link.create", actor: "events" }]);
  expect(await installation.run(["links", "history", "events-cli"])).toContain("link.create");
  await installation.run(["links", "remove", "events-cli"]);
  const [gone] = JSON.parse(await installation.run(["links", "deleted", "--json"]));
  expect(gone).toMatchObject({ code: "events-cli", deleted_by: "cli" });
  expect(await installation.run(["links", "restore", "events-cli"])).toContain("Restored events-cli.");
  await installation.run(["links", "update", "events-cli", `${TARGET}2`]);
  const [{ id }] = JSON.parse(await installation.run(["links", "history", "events-cli", "--json"]));
  await installation.run(["links", "restore", "events-cli", "--event", String(id), "--before"]);
  expect((await client.call("GET", "/links/events-cli")).body.data.target).toBe(TARGET);
  const first = await installation.cli(["links", "history", "events-cli", "--limit", "2", "--json"]);
  const place = /^Next page: --cursor (\S+)$/m.exec(first.stderr)![1]!;
  const second = await installation.run(["links", "history", "events-cli", "--cursor", place, "--json"]);
  const all = (await rows("/links/events-cli/history")).map((event) => event.id);
  expect([first.stdout, second].flatMap((text) => (JSON.parse(text) as Row[]).map((row) => row.id))).toEqual(
    all,
  );
});
