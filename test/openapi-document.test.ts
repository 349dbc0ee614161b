/** Names and examples of the OpenAPI document, made without a server. */
import { beforeAll, expect, test } from "bun:test";
import { z } from "zod";
import { newApiDocument, withNewApi } from "../scripts/openapi.ts";
import { endpoint, type Endpoint } from "../src/platform/http/endpoint.ts";
import { openApiDocument, openApiEndpoint } from "../src/platform/http/openapi.ts";
import { OPERATION_IDS } from "../src/platform/http/openapi-texts.ts";

type Schema = Parameters<typeof z.fromJSONSchema>[0];
type Shown = { schema: Record<string, unknown>; example?: unknown };
type Content = Record<string, Shown>;
type Operation = {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  security: unknown[];
  parameters: (Shown & { name: string; description?: string; required: boolean })[];
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content; headers?: Record<string, unknown>; $ref?: string }>;
};
type Document = {
  tags: { name: string; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; responses: Record<string, { content: Content }> };
};

let document: Document;
let operations: [name: string, operation: Operation][];

beforeAll(async () => {
  document = (await newApiDocument()) as never;
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) => [`${method.toUpperCase()} ${path}`, one] as const),
  ) as typeof operations;
});

test("every operation is described beyond its summary, and no text is left of one that is gone", () => {
  const ids = new Set<string>();
  for (const [name, { operationId, description }] of operations) {
    ids.add(operationId);
    expect([name, description]).toEqual([name, expect.stringMatching(/\.\s.+\.$/)]);
  }
  expect([...OPERATION_IDS].filter((id) => !ids.has(id))).toEqual([]);
  expect([...ids].filter((id) => !OPERATION_IDS.has(id))).toEqual([]);
});

test("every parameter is described, and every operation says whether it needs a sign-in", () => {
  for (const [name, { parameters, security, summary }] of operations) {
    const mute = parameters.filter(({ description }) => !description).map((parameter) => parameter.name);
    expect([name, mute, Array.isArray(security), summary]).toEqual([
      name,
      [],
      true,
      expect.stringMatching(/./),
    ]);
  }
});

test("ids of operations are unique, and those that clients know stay", () => {
  const ids = operations.map(([, { operationId }]) => operationId);
  expect(ids.length).toBeGreaterThan(70);
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  for (const id of ids) expect(id).toMatch(/^[a-z]+(?:[A-Z][a-z0-9]*)+$/);
  expect(Object.fromEntries(operations.map(([name, { operationId }]) => [name, operationId]))).toMatchObject({
    "POST /admin/v1/auth/login": "postAuthLogin",
    "GET /admin/v1/links": "listLinks",
    "POST /admin/v1/links": "createLink",
    "GET /admin/v1/links/{code}": "getLink",
    "PUT /admin/v1/links/{code}": "putLink",
    "DELETE /admin/v1/links/{code}": "deleteLink",
    "POST /admin/v1/links/batch": "postLinksBatch",
    "GET /admin/v1/links/{code}/analytics": "getLinkAnalytics",
    "GET /admin/v1/config/{key}": "getConfigKey",
    "GET /admin/policies": "listPolicies",
    "GET /admin/policies/{id}": "getPolicy",
    "POST /files/upload": "createFilesUpload",
    "PATCH /files/tus/{id}": "patchFilesTusId",
    "HEAD /files/tus/{id}": "headFilesTusId",
    "GET /folders/{id}": "getFolder",
    "GET /health": "getHealth",
  });
});

test("a code in a path of the admin API is named with its domain", () => {
  const ofCodes = operations.filter(([name]) => /^[A-Z]+ \/admin\/v1\/.*\{code\}/.test(name));
  expect(ofCodes.length).toBeGreaterThan(4);
  const lacking = ofCodes.filter(([, { parameters }]) => !parameters.some(({ name }) => name === "domain"));
  expect(lacking.map(([name]) => name)).toEqual([]);
});

test("every object in a JSON body has a name", () => {
  const isNamed = ({ schema }: Shown): boolean => {
    const parts = (schema["anyOf"] as Record<string, unknown>[] | undefined) ?? [schema];
    return parts.every((part) => "$ref" in part);
  };
  const unnamed = operations.flatMap(([name, { requestBody, responses }]) =>
    [requestBody, ...Object.values(responses)]
      .flatMap((one) => one?.content?.["application/json"] ?? [])
      .filter((shown) => !isNamed(shown) && shown.schema["properties"] !== undefined)
      .map(() => name),
  );
  expect(unnamed).toEqual([]);
  const { schemas } = document.components;
  for (const name of [
    "Link",
    "NewLink",
    "LinkResponse",
    "LinkPageResponse",
    "File",
    "Account",
    "Failure400",
  ]) {
    expect(Object.keys(schemas)).toContain(name);
  }
  const references = JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g);
  expect([...references].map((match) => match[1]!).filter((name) => !(name in schemas))).toEqual([]);
  expect(JSON.stringify(document)).not.toContain("$defs");
});

test("every JSON body and required parameter has an example that its schema accepts", () => {
  const named = (schema: unknown) => JSON.stringify(schema).matchAll(/"#\/components\/schemas\/(\w+)"/g);
  /** The schemas that it names, directly or by others. All of them would take a minute. */
  const withNamed = (schema: unknown, found: Record<string, unknown> = {}): Record<string, unknown> => {
    for (const [, name] of named(schema)) {
      if (name === undefined || name in found) continue;
      found[name] = document.components.schemas[name];
      withNamed(found[name], found);
    }
    return found;
  };
  const accepts = ({ schema, example }: Shown): unknown => {
    const standing = { ...schema, $defs: withNamed(schema) };
    const text = JSON.stringify(standing).replaceAll("#/components/schemas/", "#/$defs/");
    return z.fromJSONSchema(JSON.parse(text)).safeParse(example).error?.issues;
  };
  let examples = 0;
  const check = (where: string, shown: Shown | undefined) => {
    if (shown === undefined || shown.schema["type"] === "object") return;
    examples++;
    expect([where, shown.example, accepts(shown)]).toEqual([where, expect.anything(), undefined]);
  };
  for (const [name, { parameters, requestBody, responses }] of operations) {
    for (const one of parameters.filter(({ required }) => required)) check(`${name} ${one.name}`, one);
    check(`${name} body`, requestBody?.content["application/json"]);
    for (const [status, { content }] of Object.entries(responses))
      check(`${name} ${status}`, content?.["application/json"]);
  }
  for (const [status, { content }] of Object.entries(document.components.responses))
    check(status, content?.["application/json"]);
  expect(examples).toBeGreaterThan(120);
});

/** What an answer has as `data`, and beside it. */
function answered(operation: Operation): Record<string, { type?: string; $ref?: string; items?: unknown }> {
  const schema = operation.responses["200"]?.content?.["application/json"]?.schema as { $ref?: string };
  const name = schema?.$ref?.split("/").at(-1);
  return ((name && (document.components.schemas[name] as Shape)) as Shape | undefined)?.properties ?? {};
}
type Shape = { properties?: ReturnType<typeof answered>; required?: string[] };

test("what programs keep has an id and its times, and lists have pages as their parameters say", () => {
  const things = ["Link", "DeletedLink", "Share", "DropBox", "Folder", "File", "Entry", "Token"];
  for (const name of things) {
    const { required = [] } = document.components.schemas[name] as Shape;
    const missing = ["id", "created_at", "updated_at"].filter((field) => !required.includes(field));
    expect([name, missing]).toEqual([name, []]);
  }
  let lists = 0;
  for (const [name, operation] of operations) {
    const { data, pagination, next_cursor } = answered(operation);
    if (data?.type !== "array" || !name.startsWith("GET")) continue;
    lists++;
    const takes = (parameter: string) => operation.parameters.some((one) => one.name === parameter);
    const pages = [pagination !== undefined, next_cursor !== undefined];
    expect([name, ...pages]).toEqual([name, takes("page"), takes("cursor")]);
  }
  expect(lists).toBeGreaterThan(30);
});

test("every answer of one thing that programs change has an ETag", () => {
  for (const name of ["Link", "Share", "Folder", "File", "Token"]) {
    const reading = operations.filter(
      ([operation, one]) =>
        /^(?:GET|POST|PATCH|PUT) /.test(operation) &&
        answered(one)["data"]?.$ref?.endsWith(`/schemas/${name}`),
    );
    expect(reading.length).toBeGreaterThan(0);
    for (const [operation, { responses }] of reading)
      expect([operation, (responses["200"] ?? responses["201"])!.headers?.["ETag"]]).toEqual([
        operation,
        expect.anything(),
      ]);
  }
});

test("every tag says what it is about", () => {
  const used = new Set(operations.flatMap(([, { tags }]) => tags));
  expect(new Set(document.tags.map(({ name }) => name))).toEqual(used);
  for (const { name, description } of document.tags)
    expect([name, description]).toEqual([name, expect.any(String)]);
});

test("every event of webhooks has a body", () => {
  const { webhooks } = document as unknown as { webhooks: Record<string, { post: Operation }> };
  expect(Object.keys(webhooks)).toContain("drop.received");
  for (const [name, { post }] of Object.entries(webhooks)) {
    const body = post.requestBody!.content["application/json"]!.schema;
    expect(body).toMatchObject({ title: expect.any(String), properties: { type: { const: name } } });
  }
});

test("lists of choices have names, which generators of clients need", () => {
  const unnamed: string[] = [];
  const walk = (part: unknown, place: string, isNamed: boolean): void => {
    if (typeof part !== "object" || part === null) return;
    const { enum: values } = part as { enum?: unknown[] };
    if (!isNamed && Array.isArray(values) && values.length > 1) unnamed.push(place);
    for (const [key, one] of Object.entries(part)) {
      if (!["default", "example", "examples"].includes(key))
        walk(one, `${place}/${key}`, place === "/components/schemas");
    }
  };
  walk(document, "", false);
  expect(unnamed).toEqual([]);
  expect(document.components.schemas).toMatchObject({ VisitorKind: { enum: ["all", "human", "automated"] } });
});

test("others come in between while a server makes the document", async () => {
  let turns = 0;
  const [answer, expected] = await withNewApi(async (api) => {
    const { handle } = openApiEndpoint(() => api);
    const timer = setInterval(() => turns++, 1);
    const made = await handle({ c: { req: { raw: new Request("http://a.example/") } } } as never);
    clearInterval(timer);
    return [made as Response, openApiDocument(api)] as const;
  });
  expect(await answer.text()).toBe(JSON.stringify(expected));
  // Dozens on any machine: a slice takes 5 ms.
  expect(turns).toBeGreaterThan(3);
});

const describing = (...endpoints: Endpoint[]) =>
  openApiDocument({
    tables: [{ prefix: "/elsewhere", endpoints }],
    gates: [],
    sessionCookie: "a",
    csrfCookie: "b",
    csrfHeader: "c",
    version: "1",
    webhooks: {},
  }) as unknown as Document;

const reading = (path: string, response: z.ZodType): Endpoint =>
  endpoint(`GET ${path}`, {
    access: "public",
    scope: null,
    tag: "t",
    summary: "s",
    response,
    handle: () => 1,
  });

test("names do not depend on prefixes, and a schema without one is named after its operation", () => {
  const { paths, components } = describing(reading("/things/:id", z.object({ size: z.int() })));
  expect(paths["/elsewhere/things/{id}"]!["get"]!.operationId).toBe("getThing");
  expect(Object.keys(components.schemas)).toEqual(
    expect.arrayContaining(["GetThingResult", "GetThingResponseBody"]),
  );
});

test("what a schema takes and what it gives have two names if they differ", () => {
  const both = z.object({ kind: z.string().default("a") }).meta({ id: "Both" });
  const { body, ...rest } = { ...reading("/things", both), body: both };
  const { components } = describing(reading("/thing", both), { ...rest, body, method: "PUT" });
  expect(components.schemas["Both"]).toMatchObject({ required: ["kind"] });
  expect(components.schemas["BothInput"]).not.toHaveProperty("required");
});

test("two schemas with one name are refused", () => {
  const named = (size: number) => z.object({ size: z.literal(size) });
  const first = named(1).meta({ id: "Twin" });
  const second = z.object({ inner: named(2) }).meta({ id: "Twin2" });
  expect(() => describing(reading("/a", first), reading("/twin", second))).not.toThrow();
  expect(() =>
    describing(reading("/twin", z.object({ a: z.int() })), reading("/twin", z.object({ b: z.int() }))),
  ).toThrow("GetTwinResult");
});
