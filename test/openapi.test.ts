/** Compares the OpenAPI document with the server's answers. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { z } from "zod";
import { type Client } from "./support/session.ts";
import { startShared } from "./support/shared-server.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

type Schema = Parameters<typeof z.fromJSONSchema>[0];
type Content = Record<string, { schema: Schema }>;
type Documented = { headers?: Record<string, { required?: boolean }>; content?: Content };
type Operation = {
  parameters: { name: string; in: string; required: boolean; schema: Record<string, unknown> }[];
  requestBody?: { content: Content };
  responses: Record<string, Documented & { $ref?: string }>;
};

let installation: Installation;
let server: RunningWaymark;
let client: Client;
let paths: Record<string, Record<string, Operation>>;
let components: { schemas: Record<string, Schema>; responses: Record<string, Documented> };

beforeAll(async () => {
  ({ installation, server, client } = await startShared());
  ({ paths, components } = (await (await call("GET", "/admin/v1/openapi.json")).json()) as never);
});
afterAll(() => installation.remove());

const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  fetch(server.url + path, {
    method,
    redirect: "manual",
    headers: { Authorization: `Bearer ${client.token}`, ...headers },
    ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
  });

/** The schema with those that it refers to. */
const standing = (schema: Schema): Schema =>
  JSON.parse(
    JSON.stringify({ ...(schema as object), $defs: components.schemas }).replaceAll(
      "#/components/schemas/",
      "#/$defs/",
    ),
  );

const resolved = (schema: Schema): Schema => {
  const { $ref } = schema as { $ref?: string };
  return $ref === undefined ? schema : components.schemas[$ref.split("/").at(-1)!]!;
};

/** Checks that the answer is one of those documented for the operation. */
async function holds(method: string, pattern: string, answer: Response): Promise<unknown> {
  const operation = paths[pattern]?.[method.toLowerCase()];
  const where = `${method} ${pattern}`;
  const reference = operation?.responses[answer.status];
  const told =
    reference?.$ref === undefined ? reference : components.responses[reference.$ref.split("/").at(-1)!];
  if (told === undefined) throw new Error(`${where}: ${answer.status} is not in the document`);
  const missing = Object.entries(told.headers ?? {}).filter(
    ([name, { required }]) => required && !answer.headers.has(name),
  );
  expect([where, answer.status, missing]).toEqual([where, answer.status, []]);
  const type = answer.headers.get("Content-Type")?.split(";")[0] ?? null;
  const { content } = told;
  if (content === undefined) expect([where, type, await answer.text()]).toEqual([where, null, ""]);
  if (content === undefined || "*/*" in content) return;
  expect([where, Object.keys(content)]).toEqual([where, expect.arrayContaining([type])]);
  if (type !== "application/json") return void (await answer.body?.cancel());
  const json: unknown = await answer.json();
  const schema = standing(content[type]!.schema);
  expect([where, z.fromJSONSchema(schema).safeParse(json).error?.issues]).toEqual([where, undefined]);
  const { properties } = resolved(content[type]!.schema) as { properties?: object };
  const known = Object.keys(properties ?? (json as object));
  expect([where, Object.keys(json as object).filter((key) => !known.includes(key))]).toEqual([where, []]);
  return (json as { data?: unknown }).data;
}

test("the document is public", async () => {
  const answer = await fetch(`${server.url}/admin/v1/openapi.json`);
  expect([answer.status, Object.keys(await answer.json())]).toEqual([200, expect.arrayContaining(["paths"])]);
});

test("every address without parameters answers GET as documented, with and without login", async () => {
  const plain = Object.keys(paths).filter((path) => !path.includes("{") && "get" in paths[path]!);
  expect(plain.length).toBeGreaterThan(20);
  for (const path of plain) {
    await holds("GET", path, await call("GET", path));
    await holds("GET", path, await call("GET", path, undefined, { Authorization: "Bearer wrong" }));
  }
});

test("writing answers as documented", async () => {
  const admin = "/admin/v1";
  const link = { code: "openapi/b", target: "https://example.com/" };
  const steps: [string, string, unknown, string?][] = [
    ["POST", `${admin}/links`, link],
    ["POST", `${admin}/links`, link],
    ["GET", `${admin}/links/{code}`, undefined, "openapi%2Fb"],
    ["PUT", `${admin}/links/{code}`, link, "openapi%2Fb"],
    ["GET", `${admin}/links/{code}/analytics`, undefined, "openapi%2Fb"],
    ["GET", `${admin}/links/{code}/analytics/devices`, undefined, "openapi%2Fb"],
    ["GET", `${admin}/links/{code}/qr`, undefined, "openapi%2Fb"],
    ["POST", `${admin}/links/batch`, { links: [link, { target: link.target }] }],
    ["DELETE", `${admin}/links/{code}`, undefined, "openapi%2Fb"],
    ["DELETE", `${admin}/links/{code}`, undefined, "openapi%2Fb"],
    ["POST", `${admin}/links/import`, formOf("code,target\nc,https://example.com/\nd,nothing\n")],
    ["POST", `${admin}/users`, { username: "anna", password: "a long password" }],
    ["PUT", `${admin}/config/{key}`, { value: "/elsewhere" }, "routes.admin_prefix"],
    ["GET", `${admin}/config/{key}`, undefined, "routes.admin_prefix"],
    ["GET", `${admin}/config/{key}/history`, undefined, "routes.admin_prefix"],
    ["POST", "/folders", { name: "folder" }],
  ];
  for (const [method, pattern, body, given = ""] of steps) {
    await holds(method, pattern, await call(method, pattern.replace(/\{\w+\}/, given), body));
  }
});

test("files are uploaded and deleted as documented", async () => {
  const { id } = (await holds("POST", "/files/upload", await call("POST", "/files/upload", formOf("x")))) as {
    id: number;
  };
  await holds("GET", "/files/{id}/download", await call("GET", `/files/${id}/download`));
  await holds("OPTIONS", "/files/tus", await call("OPTIONS", "/files/tus"));
  const begun = await call("POST", "/files/tus", undefined, {
    "Tus-Resumable": "1.0.0",
    "Upload-Length": "3",
    "Upload-Metadata": `filename ${btoa("name")}`,
  });
  await holds("POST", "/files/tus", begun);
  const upload = begun.headers.get("Location")!;
  const gone = await call("DELETE", upload, undefined, { "Tus-Resumable": "1.0.0" });
  await holds("DELETE", "/files/tus/{id}", gone);
});

test("uploads are documented as forms, and lists with pagination", () => {
  for (const path of ["/files/upload", "/admin/v1/links/import"]) {
    expect(Object.keys(paths[path]!["post"]!.requestBody!.content)).toEqual(["multipart/form-data"]);
  }
  const sort = paths["/admin/v1/links"]!["get"]!.parameters.find(({ name }) => name === "sort");
  expect(sort).toMatchObject({ in: "query" });
  expect(resolved(sort!.schema)).toMatchObject({
    enum: ["created_at", "code", "human_clicks", "click_count", "expires_at"],
  });
});

function formOf(text: string, name = "file.csv"): FormData {
  const form = new FormData();
  form.append("file", new File([text], name, { type: "text/csv" }));
  return form;
}

const parameterOf = (method: string, path: string, name: string) =>
  paths[path]![method]!.parameters.find((parameter) => parameter.name === name)!;

test("every answer has the header of its request", () => {
  const everywhere = { "X-Request-Id": { required: true, schema: { type: "string", format: "uuid" } } };
  for (const [status, { headers }] of Object.entries(components.responses)) {
    // Refused before it is a request.
    if (status !== "431") expect(headers).toMatchObject(everywhere);
  }
  for (const operation of Object.values(paths).flatMap((operations) => Object.values(operations))) {
    for (const { $ref, headers } of Object.values(operation.responses)) {
      if ($ref === undefined) expect(headers).toMatchObject(everywhere);
    }
  }
});

test("every operation lists its failures by status", () => {
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, { responses }] of Object.entries(operations)) {
      const statuses = Object.keys(responses);
      expect([method, path, statuses]).toEqual([method, path, expect.arrayContaining(["400", "500", "503"])]);
      expect(statuses).not.toContain("default");
    }
  }
});

test("cookies need a proof where something changes; live events are documented", () => {
  expect(paths["/folders"]!["get"]).toMatchObject({
    security: [{ bearer: [] }, { cookie: [] }, { token: ["files:read"] }],
  });
  const proven = { cookie: [], csrf_cookie: [], csrf: [] };
  expect(paths["/folders"]!["post"]).toMatchObject({
    security: [{ bearer: [] }, proven, { token: ["files:write"] }],
  });
  expect(paths["/admin/v1/links"]!["get"]).toMatchObject({
    security: [{ bearer: ["editor"] }, { cookie: ["editor"] }, { token: ["links:read"] }],
  });
  expect(paths["/admin/v1/auth/password"]!["put"]).toMatchObject({ security: [{ bearer: [] }, proven] });
  const live = paths["/admin/v1/analytics/live"]!["get"]!.responses["200"]!.content!["text/event-stream"]!;
  const { properties } = resolved(live.schema) as { properties: Record<string, Record<string, unknown>> };
  expect(properties["data"]).toMatchObject({ type: "string" });
  expect(resolved(properties["event"]!)).toMatchObject({ enum: ["clicks", "drop"] });
});

test("resumable uploads are documented with ids, headers and bodies, and answer so", async () => {
  const upload = "/files/tus/{id}";
  const id = parameterOf("patch", upload, "id");
  expect(id).toMatchObject({ in: "path", required: true, schema: { type: "string", format: "uuid" } });
  expect(paths[upload]!["patch"]!.requestBody!.content).toHaveProperty(["application/offset+octet-stream"]);
  expect(parameterOf("patch", upload, "Upload-Offset")).toMatchObject({ in: "header", required: true });
  expect(parameterOf("post", "/files/tus", "Upload-Length")).toMatchObject({
    required: false,
    schema: { type: "integer" },
  });
  const version = { "Tus-Resumable": "1.0.0" };
  const metadata = `filename ${btoa("whole")}`;
  expect(metadata).toMatch(
    new RegExp(String(parameterOf("post", "/files/tus", "Upload-Metadata").schema["pattern"])),
  );
  const begin = { ...version, "Upload-Length": "3", "Upload-Metadata": metadata };
  const begun = await call("POST", "/files/tus", undefined, begin);
  await holds("POST", "/files/tus", begun);
  const place = begun.headers.get("Location")!;
  expect(place.split("/").at(-1)).toMatch(new RegExp(String(id.schema["pattern"])));
  await holds("GET", upload, await call("GET", place, undefined, version));
  await holds("HEAD", upload, await call("HEAD", place, undefined, version));
  await holds("PATCH", upload, await call("PATCH", place));
  const append = { ...version, "Upload-Offset": "0" };
  await holds("PATCH", upload, await call("PATCH", place, undefined, { ...append, "Content-Type": "a/b" }));
  const patch = (headers: Record<string, string>) =>
    fetch(server.url + place, {
      method: "PATCH",
      headers: {
        Authorization: `Bearer ${client.token}`,
        ...append,
        "Content-Type": "application/offset+octet-stream",
        ...headers,
      },
      body: "abc",
    });
  const wrong = await patch({ "Upload-Checksum": `sha1 ${btoa("wrong")}` });
  expect(wrong.status).toBe(460);
  await holds("PATCH", upload, wrong);
  const done = await patch({});
  expect(done.headers.get("X-File-Id")).toMatch(/^[1-9]\d*$/);
  await holds("PATCH", upload, done);
});

test("downloads are documented with ranges and conditions, and answer so", async () => {
  const path = "/files/{id}/download";
  const { id } = (await holds(
    "POST",
    "/files/upload",
    await call("POST", "/files/upload", formOf("abc", "abc.csv")),
  )) as {
    id: number;
  };
  const whole = await call("GET", `/files/${id}/download`);
  const answers: [number, Record<string, string>][] = [
    [206, { Range: "bytes=1-1" }],
    [304, { "If-None-Match": whole.headers.get("ETag")! }],
    [412, { "If-Match": '"another"' }],
    [416, { Range: "bytes=9-" }],
  ];
  for (const [status, headers] of answers) {
    const answer = await call("GET", `/files/${id}/download`, undefined, headers);
    expect(answer.status).toBe(status);
    await holds("GET", path, answer);
  }
  expect(paths[path]!["get"]!.responses["302"]!.headers).toHaveProperty("Location");
});

test("documented patterns are those that validate requests", async () => {
  const schemaIn = (method: string, path: string, field: string) => {
    const { content } = paths[path]![method]!.requestBody!;
    const { properties } = resolved(content["application/json"]!.schema) as unknown as {
      properties: Record<string, Parameters<typeof z.fromJSONSchema>[0]>;
    };
    return z.fromJSONSchema(properties[field]!);
  };
  const create = async (path: string, body: object) => (await call("POST", path, body)).status === 201;
  const links = "/admin/v1/links";
  const target = "https://example.com/";
  const code = schemaIn("post", links, "code");
  for (const text of ["a", "..a", "a/..b", "", "a/", "/a", "a//b", "a/../b", ".", "a b", "a".repeat(129)]) {
    const taken = await create(links, { code: text, target });
    expect([text, code.safeParse(text).success]).toEqual([text, taken]);
  }
  const address = schemaIn("post", links, "target");
  // Settings may permit further schemes.
  for (const text of [target, "HTTP://example.com", "//example.com", "", "https:///"]) {
    const taken = await create(links, { target: text });
    expect([text, address.safeParse(text).success]).toEqual([text, taken]);
  }
  const name = schemaIn("post", "/folders", "name");
  for (const text of ["b", "ü b", "", " c", "c ", "c/d", "c\\d", "c\u0007d", "e".repeat(256)]) {
    const taken = await create("/folders", { name: text });
    expect([text, name.safeParse(text).success]).toEqual([text, taken]);
  }
  const username = schemaIn("post", "/admin/v1/users", "username");
  for (const text of ["berta", "Carla@x.org", "", "d e", "ü", "f".repeat(65)]) {
    const taken = await create("/admin/v1/users", { username: text, password: "a long password" });
    expect([text, username.safeParse(text).success]).toEqual([text, taken]);
  }
  const documented = resolved(parameterOf("get", "/admin/v1/config/{key}", "key").schema);
  const { enum: keys } = documented as { enum: string[] };
  const { data } = (await (await call("GET", "/admin/v1/config")).json()) as { data: { key: string }[] };
  expect(keys).toEqual(data.map(({ key }) => key));
});
