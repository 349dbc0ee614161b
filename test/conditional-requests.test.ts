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

/** Changes of something else: mails about a share. */
const OTHERS = ["post /shares/{code}/mails"];

test("every endpoint that changes what has a tag takes If-Match, unless it makes something", async () => {
  type Operation = { parameters?: { name?: string }[]; responses: Record<string, { headers?: object }> };
  const document = await (await fetch(`${server.url}/admin/v1/openapi.json`)).json();
  const { paths } = document as { paths: Record<string, Record<string, Operation>> };
  const items = Object.keys(paths).filter((path) => {
    const { headers = {} } = paths[path]!["get"]?.responses["200"] ?? {};
    return path.endsWith("}") && "ETag" in headers;
  });
  expect(items).toContain("/admin/v1/links/{code}");
  expect(items.length).toBeGreaterThanOrEqual(5);
  const without = Object.entries(paths).flatMap(([path, operations]) =>
    items.some((item) => path === item || path.startsWith(`${item}/`))
      ? Object.entries(operations).flatMap(([method, { parameters = [], responses }]) => {
          const isCondition = ({ name }: { name?: string }) => name === "If-Match";
          const isOne = method === "get" || "201" in responses || parameters.some(isCondition);
          return isOne || OTHERS.includes(`${method} ${path}`) ? [] : `${method} ${path}`;
        })
      : [],
  );
  expect(without).toEqual([]);
});

/** Many links at once have no tag. */
const OF_MANY = ["post /admin/v1/links/batch", "post /admin/v1/links/import"];

test("every endpoint that makes or overwrites one thing takes If-Match", async () => {
  type Operation = { parameters?: { name?: string; description?: string }[]; requestBody?: object };
  const document = await (await fetch(`${server.url}/admin/v1/openapi.json`)).json();
  const { paths, components } = document as {
    paths: Record<string, Record<string, Operation>>;
    components: { schemas: Record<string, object> };
  };
  const overwrites = ({ parameters, requestBody = {} }: Operation): boolean => {
    const body = JSON.stringify(requestBody);
    const named = Object.keys(components.schemas).filter((name) => body.includes(`/schemas/${name}"`));
    const text = JSON.stringify([parameters, requestBody, named.map((name) => components.schemas[name])]);
    return /"force"|"replace"|overwrite|and replace/.test(text);
  };
  const found = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) =>
      method === "post" && overwrites(operation) ? [{ name: `post ${path}`, operation }] : [],
    ),
  );
  const names = found.map(({ name }) => name);
  expect(names).toContain("post /admin/v1/links");
  expect(names).toContain("post /files/upload");
  expect(names).toContain("post /files/tus");
  const without = found.filter(({ operation }) =>
    (operation.parameters ?? []).every(({ name }) => name !== "If-Match"),
  );
  expect(without.map(({ name }) => name).toSorted()).toEqual(OF_MANY);
});

/** Writes under no condition that fails, and the first time under each that holds. */
async function overwritesUnder(
  write: (headers: Record<string, string>) => Promise<number>,
  tagNow: () => Promise<string>,
  made: number,
) {
  expect(await write({ "If-Match": "*" })).toBe(412);
  expect(await write({ "If-None-Match": "*" })).toBe(made);
  const tag = await tagNow();
  for (const headers of [{ "If-Match": '"stale"' }, { "If-None-Match": "*" }, { "If-None-Match": tag }]) {
    expect(await write(headers)).toBe(412);
  }
  expect(await tagNow()).toBe(tag);
  expect(await write({ "If-Match": tag })).toBe(made);
  expect(await write({ "If-Match": tag })).toBe(412);
  expect(await write({})).toBe(made);
}

test("a link that force overwrites", async () => {
  let count = 0;
  await overwritesUnder(
    async (headers) => {
      const body = { code: "forced", target: `${TARGET}${count++}`, force: true };
      return (await ask("POST", "/admin/v1/links", body, headers)).status;
    },
    async () => (await ask("GET", "/admin/v1/links/forced")).tag,
    201,
  );
});

/** The tag of the file of that name at the root. */
async function tagOf(name: string): Promise<string> {
  const { data } = await ask("GET", `/files/search?q=${name}`);
  return (await ask("GET", `/files/${data[0].id}`)).tag;
}

test("a file that a form or a resumable upload replaces", async () => {
  let count = 0;
  await overwritesUnder(
    async (headers) => {
      const form = new FormData();
      form.append("file", new File([`form ${count++}`], "formed.txt"));
      const sent = { method: "POST", body: form };
      const own = { Authorization: `Bearer ${client.token}`, ...headers };
      return (await fetch(`${server.url}/files/upload?replace=true`, { ...sent, headers: own })).status;
    },
    () => tagOf("formed.txt"),
    201,
  );
  await overwritesUnder(
    (headers) => resume("resumed.txt", `tus ${count++}`, headers),
    () => tagOf("resumed.txt"),
    201,
  );
  // What the request that begins says holds when the last byte comes.
  const tag = await tagOf("resumed.txt");
  const begun = await begin("resumed.txt", 4, { "If-Match": tag });
  expect(begun.status).toBe(201);
  const place = begun.headers.get("Location")!;
  const echoed = await fetch(server.url + place, { method: "HEAD", headers: tus() });
  expect(echoed.headers.get("Upload-Metadata")).toBe(metadataOf("resumed.txt"));
  expect(await resume("resumed.txt", "meanwhile", {})).toBe(201);
  const last = { ...tus(), "Upload-Offset": "0", "Content-Type": "application/offset+octet-stream" };
  expect((await fetch(server.url + place, { method: "PATCH", body: "late", headers: last })).status).toBe(
    412,
  );
  expect((await fetch(server.url + place, { method: "HEAD", headers: tus() })).status).toBe(404);
});

const tus = () => ({ Authorization: `Bearer ${client.token}`, "Tus-Resumable": "1.0.0" });
const metadataOf = (name: string) => `filename ${btoa(name)},replace ${btoa("true")}`;

const begin = (name: string, size: number, headers: Record<string, string>, body?: string) =>
  fetch(`${server.url}/files/tus`, {
    method: "POST",
    headers: { ...tus(), "Upload-Length": String(size), "Upload-Metadata": metadataOf(name), ...headers },
    ...(body !== undefined && { body }),
  });

/** Uploads it with the request that begins. */
const resume = async (name: string, body: string, headers: Record<string, string>) => {
  const type = { "Content-Type": "application/offset+octet-stream" };
  return (await begin(name, body.length, { ...headers, ...type }, body)).status;
};

/** Is refused with another tag and carried out with that of `read`. */
async function isConditional(method: string, path: string, read: string, body?: object) {
  const refused = await ask(method, path, body, { "If-Match": '"other"' });
  expect([path, refused.status]).toEqual([path, 412]);
  const { tag } = await ask("GET", read);
  const done = await ask(method, path, body, { "If-Match": tag });
  expect([path, done.status]).toEqual([path, 200]);
}

test("a link's review and the way back in its history", async () => {
  const path = "/admin/v1/links/back";
  await ask("POST", "/admin/v1/links", { code: "back", target: TARGET });
  await ask("PATCH", path, { title: "t" });
  const { data } = await ask("GET", `${path}/history`);
  await isConditional("POST", `${path}/history/${data.at(-1).id}/restore`, path);
  expect((await ask("GET", path)).data.title).toBeNull();
  await isConditional("POST", `${path}/review`, path, { action: "take_down" });
});

test("the end of shares and drop boxes by their entries, and the trash", async () => {
  const folder = (await ask("POST", "/folders", { name: "conditions" })).data.id;
  const form = new FormData();
  form.append("file", new File(["bytes"], "c.txt"));
  const uploaded = await fetch(`${server.url}/files/upload?folder_id=${folder}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${client.token}` },
    body: form,
  });
  const file = ((await uploaded.json()) as { data: { id: number } }).data.id;
  for (const [path, body] of [
    [`/files/${file}/share`, {}],
    [`/folders/${folder}/share`, {}],
    [`/folders/${folder}/drop`, { max_bytes: 100, max_files: 2 }],
  ] as const) {
    const { code } = (await ask("POST", path, body)).data;
    await isConditional("DELETE", `${path}/${code}`, `/shares/${code}`);
  }
  await isConditional("POST", `/files/${file}/trash`, `/files/${file}`);
  await isConditional("POST", `/folders/${folder}/trash`, `/folders/${folder}`);
});
