/** ETag, If-Match and If-None-Match of everything that has them, over HTTP. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { until } from "./support/until.ts";
import { type Client } from "./support/session.ts";
import { startShared } from "./support/shared-server.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

let installation: Installation;
let server: RunningWaymark;
let client: Client;

beforeAll(async () => {
  ({ installation, server, client } = await startShared());
});
afterAll(() => installation.remove());

async function ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const answer = await fetch(server.url + path, {
    method,
    headers: { Authorization: `Bearer ${client.token}`, "Content-Type": "application/json", ...headers },
    ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  return {
    status: answer.status,
    tag: answer.headers.get("ETag") ?? "",
    text,
    data: text && JSON.parse(text).data,
  };
}

/** The tag of the answer that made it is good for a change. */
async function wasMade(path: string, tag: string | null) {
  const read = await ask("GET", path);
  expect([path, tag?.split(".")[0]]).toEqual([path, read.tag.split(".")[0]]);
}

/** Reads it twice, changes it by its tag, is refused with the old one, and deletes it with the new one. */
async function goesThrough(path: string, change: { method: string; body: object } | null) {
  const read = await ask("GET", path);
  expect([path, read.status, read.tag]).toEqual([
    path,
    200,
    expect.stringMatching(/^"[\w-]{22}\.[\w-]{22}"$/),
  ]);
  const again = await ask("GET", path, undefined, { "If-None-Match": `"other", W/${read.tag}` });
  expect([path, again.status, again.tag, again.text]).toEqual([path, 304, read.tag, ""]);
  let { tag } = read;
  if (change !== null) {
    const { method, body } = change;
    const changed = await ask(method, path, body, { "If-Match": `"other", ${tag}` });
    expect([path, changed.status, changed.tag === tag]).toEqual([path, 200, false]);
    for (const headers of [
      { "If-Match": tag },
      { "If-Match": `W/${changed.tag}` },
      { "If-None-Match": "*" },
    ]) {
      const refused = await ask(method, path, body, headers);
      expect([path, refused.status, JSON.parse(refused.text).error]).toEqual([
        path,
        412,
        "PreconditionFailed",
      ]);
      expect((await ask("DELETE", path, undefined, headers)).status).toBe(412);
    }
    expect((await ask("GET", path, undefined, { "If-None-Match": tag })).status).toBe(200);
    const repeated = await ask(method, path, body, { "If-Match": changed.tag });
    expect([path, repeated.status]).toEqual([path, 200]);
    ({ tag } = repeated);
  }
  expect((await ask("DELETE", path, undefined, { "If-Match": '"other"' })).status).toBe(412);
  expect((await ask("DELETE", path, undefined, { "If-Match": tag })).status).toBe(200);
  expect((await ask("GET", path)).status).toBe(404);
}

const TARGET = "https://example.com/";

test("a link, by PUT and by PATCH, with every kind of field", async () => {
  const fields = { tags: ["z", "a"], rules: [{ if: { device: "mobile" }, target: TARGET }], max_clicks: 5 };
  for (const method of ["PUT", "PATCH"]) {
    await ask("POST", "/admin/v1/links", { code: "conditional/b", target: TARGET });
    await goesThrough("/admin/v1/links/conditional/b", {
      method,
      body: { target: TARGET, title: "b", ...fields },
    });
  }
});

test("clicks change an answer, but refuse no edit", async () => {
  const { tag } = await ask("POST", "/admin/v1/links", { code: "clicked", target: TARGET });
  await fetch(`${server.url}/clicked`, { redirect: "manual" });
  const path = "/admin/v1/links/clicked";
  await until(async () => (await ask("GET", path)).data.click_count === 1);
  expect((await ask("GET", path, undefined, { "If-None-Match": tag })).status).toBe(200);
  expect((await ask("PATCH", path, { title: "t" }, { "If-Match": tag })).status).toBe(200);
});

test("a folder, a file in it and its share, a token", async () => {
  const folder = await ask("POST", "/folders", { name: "f" });
  const form = new FormData();
  form.append("file", new File(["bytes"], "a.txt"));
  const uploaded = await fetch(`${server.url}/files/upload?folder_id=${folder.data.id}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${client.token}` },
    body: form,
  });
  const file = ((await uploaded.json()) as { data: { id: number } }).data.id;
  await wasMade(`/files/${file}`, uploaded.headers.get("ETag"));
  const share = await ask("POST", `/files/${file}/share`, {});
  await wasMade(`/shares/${share.data.code}`, share.tag);
  await goesThrough(`/shares/${share.data.code}`, { method: "PATCH", body: { max_downloads: 3 } });
  await goesThrough(`/files/${file}`, { method: "PATCH", body: { name: "b.txt" } });
  await goesThrough(`/folders/${folder.data.id}`, { method: "PATCH", body: { name: "g" } });
  const token = await ask("POST", "/admin/v1/tokens", { name: "t", scopes: ["links:read"] });
  await wasMade(`/admin/v1/tokens/${token.data.id}`, token.tag);
  await goesThrough(`/admin/v1/tokens/${token.data.id}`, null);
});
