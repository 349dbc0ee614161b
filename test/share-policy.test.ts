/** The settings files.share_policy, at every door of shares and drop boxes. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type DriveClient, driveClient } from "./support/drive.ts";
import { type Client, signIn } from "./support/session.ts";
import { resetSettings, startShared } from "./support/shared-server.ts";

let admin: Client;
let me: DriveClient;
let base: string;
let file: number;
let folder: number;
beforeAll(async () => {
  const { server, client } = await startShared("share-policy");
  [admin, base] = [client, server.url];
  await client.call("POST", "/users", { username: "policy.anna", password: "a long password", role: "user" });
  me = driveClient(base, (await signIn(base, "a long password", "policy.anna")).token);
  file = (await me.upload("a.txt", "a")).body.data.id;
  folder = await me.folder("Inbox");
});
afterAll(() =>
  resetSettings(admin, [
    "files.share_policy.by_role",
    "files.share_policy.roles",
    "files.share_policy.max_downloads",
    "files.share_policy.password",
    "files.share_policy.default_days",
    "files.share_policy.max_days",
  ]),
);

const set = async (name: string, value: string) => {
  expect((await admin.call("PUT", `/config/files.share_policy.${name}`, { value })).status).toBe(200);
};
const share = async (input: object) => me.call("POST", `/files/${file}/share`, input);

test("shares and drop boxes keep the limits when they are made, changed and changed in kind", async () => {
  const early = (await share({})).body.data;
  expect(early.expires_at).toBeNull();
  await set("max_days", "10");
  await set("default_days", "7");
  await set("password", "true");
  await set("max_downloads", "3");
  expect((await me.call("GET", "/files/share-policy")).body.data).toEqual({
    default_days: 7,
    max_days: 10,
    password: true,
    max_downloads: 3,
    verify: false,
    recipient_domains: [],
  });

  const good = { password: "open sesame", max_downloads: 3 };
  for (const [input, field] of [
    [{ ...good, expires_at: "11d" }, "expires_at"],
    [{ ...good, expires_at: null }, "expires_at"],
    [{ max_downloads: 3 }, "password"],
    [{ ...good, max_downloads: 4 }, "max_downloads"],
    [{ password: "open sesame" }, "max_downloads"],
  ] as const) {
    const { status, body } = await share(input);
    expect([status, JSON.stringify(body)]).toEqual([403, expect.stringContaining(field)]);
  }
  const made = await share(good);
  const days = (Date.parse(made.body.data.expires_at) - Date.now()) / 86_400_000;
  expect([made.status, Math.round(days)]).toEqual([201, 7]);

  const path = `/shares/${made.body.data.code}`;
  for (const change of [{ expires_at: "11d" }, { password: null }, { max_downloads: 4 }]) {
    expect((await me.call("PATCH", path, change)).status).toBe(403);
  }
  expect((await me.call("PATCH", path, { title: "Fine" })).status).toBe(200);
  // What it was before the limits stays, until somebody changes it.
  expect((await fetch(`${base}/${early.code}`)).status).toBe(200);
  expect((await me.call("PATCH", `/shares/${early.code}`, { title: "Mine" })).status).toBe(403);

  const limits = { max_bytes: 1000, max_files: 10 };
  expect((await me.call("POST", `/folders/${folder}/drop`, limits)).status).toBe(403);
  const box = await me.call("POST", `/folders/${folder}/drop`, { ...limits, password: "open sesame" });
  expect(box.status).toBe(201);
  // The form of a box needs no limit of downloads; a share of its folder does.
  const asShare = await me.call("PATCH", `/shares/${box.body.data.code}`, { folder_id: folder });
  expect([asShare.status, JSON.stringify(asShare.body)]).toEqual([
    403,
    expect.stringContaining("max_downloads"),
  ]);

  // Nothing that was refused left a link.
  expect((await me.call("GET", "/shares")).body.data.length).toBe(3);
});

test("roles that are not bound are free", async () => {
  const own = driveClient(base, admin.token);
  const id = (await own.upload("b.txt", "b")).body.data.id;
  expect((await own.call("POST", `/files/${id}/share`, { expires_at: null })).status).toBe(201);
  await set("roles", "admin");
  expect((await own.call("POST", `/files/${id}/share`, { expires_at: null })).status).toBe(403);
  expect((await share({})).status).toBe(201);
});

test("limits of a role win, recipients' domains and their proof are demanded at every door", async () => {
  for (const bad of ["user.max_days=x", "guest.max_days=1", "user.roles=user", "user.recipient_domains=?"]) {
    expect((await admin.call("PUT", "/config/files.share_policy.by_role", { value: bad })).status).toBe(400);
  }
  await set("by_role", "user.max_days=2, user.password=no, user.default_days=1, user.max_downloads=0");
  expect((await me.call("GET", "/files/share-policy")).body.data).toMatchObject({
    max_days: 2,
    password: false,
  });
  const made = await share({});
  expect(made.status).toBe(201);
  await set("by_role", "user.verify=true");
  const path = `/shares/${made.body.data.code}`;
  for (const answer of [await share({}), await me.call("PATCH", path, { title: "x" })])
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([403, expect.stringContaining("verify")]);
});
