/** Compares the OpenAPI document with the server's answers. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { z } from "zod";
import { type Client, startSignedIn } from "./support/session.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

type Schema = Parameters<typeof z.fromJSONSchema>[0];
type Content = Record<string, { schema: Schema }>;
type Operation = {
  parameters: { name: string; in: string }[];
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
};

let installation: Installation;
let server: RunningWaymark;
let client: Client;
let paths: Record<string, Record<string, Operation>>;
let components: { schemas: Record<string, Schema> };

beforeAll(async () => {
  ({ installation, server, client } = await startSignedIn());
  ({ paths, components } = (await (await call("GET", "/admin/v1/openapi.json")).json()) as never);
});
afterAll(() => installation.remove());

const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  fetch(server.url + path, {
    method,
    headers: { Authorization: `Bearer ${client.token}`, ...headers },
    ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
  });

/** Checks that the answer is one of those documented for the operation. */
async function holds(method: string, pattern: string, answer: Response): Promise<unknown> {
  const operation = paths[pattern]?.[method.toLowerCase()];
  const where = `${method} ${pattern}`;
  const told =
    operation?.responses[answer.status] ?? (answer.ok ? undefined : operation?.responses["default"]);
  if (told === undefined) throw new Error(`${where}: ${answer.status} is not in the document`);
  const type = answer.headers.get("Content-Type")?.split(";")[0] ?? null;
  const { content } = told;
  if (content === undefined) expect([where, type, await answer.text()]).toEqual([where, null, ""]);
  if (content === undefined || "*/*" in content) return;
  expect([where, Object.keys(content)]).toEqual([where, [type!]]);
  if (type !== "application/json") return void (await answer.body?.cancel());
  const json: unknown = await answer.json();
  const text = JSON.stringify({ ...(content[type]!.schema as object), $defs: components.schemas });
  const schema = JSON.parse(text.replaceAll("#/components/schemas/", "#/$defs/"));
  expect([where, z.fromJSONSchema(schema).safeParse(json).error?.issues]).toEqual([where, undefined]);
  const known = Object.keys(schema.properties ?? (json as object));
  expect([where, Object.keys(json as object).filter((key) => !known.includes(key))]).toEqual([where, []]);
  return (json as { data?: unknown }).data;
}

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
  const link = { code: "a/b", target: "https://example.com/" };
  const steps: [string, string, unknown, string?][] = [
    ["POST", `${admin}/links`, link],
    ["POST", `${admin}/links`, link],
    ["GET", `${admin}/links/{code}`, undefined, "a%2Fb"],
    ["PUT", `${admin}/links/{code}`, link, "a%2Fb"],
    ["GET", `${admin}/links/{code}/analytics`, undefined, "a%2Fb"],
    ["GET", `${admin}/links/{code}/analytics/devices`, undefined, "a%2Fb"],
    ["POST", `${admin}/links/batch`, { links: [link, { target: link.target }] }],
    ["DELETE", `${admin}/links/{code}`, undefined, "a%2Fb"],
    ["DELETE", `${admin}/links/{code}`, undefined, "a%2Fb"],
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
  expect(sort).toMatchObject({
    in: "query",
    schema: { enum: ["created_at", "code", "click_count", "expires_at"] },
  });
});

function formOf(text: string): FormData {
  const form = new FormData();
  form.append("file", new File([text], "file.csv", { type: "text/csv" }));
  return form;
}
