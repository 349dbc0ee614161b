/** Errors for invalid fields are Waymark's own sentences with the field's name, at every endpoint. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Client, whenAllowed } from "./support/session.ts";
import { startShared } from "./support/shared-server.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

type Schema = {
  $ref?: string;
  properties?: Record<string, unknown>;
  required?: string[];
  enum?: string[];
};
type Operation = {
  parameters: { name: string; in: string; required?: boolean; schema?: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
};

/** Words of the validator's own texts. */
const VALIDATORS_TEXT = /invalid|expected|(?<!drop\.)received|unrecognized|too (?:big|small)|option/i;
/** One or more sentences `field does not fit.` */
const SENTENCES =
  /^(?:(?:[a-z_]+(?:\.[a-z_\d]+)*|The body|The query) (?:is|must|has) (?:[^.]|\.(?! |$))+\.(?: |$))+$/;

let installation: Installation;
let server: RunningWaymark;
let client: Client;
let schemas: Record<string, Schema>;
const operations: { method: string; path: string; operation: Operation }[] = [];

beforeAll(async () => {
  ({ installation, server, client } = await startShared());
  const { paths, components } = (await (await client.fetch("/openapi.json")).json()) as {
    paths: Record<string, Record<string, Operation>>;
    components: { schemas: Record<string, Schema> };
  };
  schemas = components.schemas;
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      operations.push({ method: method.toUpperCase(), path: path.replaceAll(/\{\w+\}/g, "1"), operation });
    }
  }
});
afterAll(() => installation.remove());

const named = (ref: string): Schema => schemas[ref.split("/").at(-1)!]!;
/** A value that the schema takes, if it names some. */
const choiceOf = (schema: Schema | undefined): string =>
  (schema?.$ref === undefined ? schema : named(schema.$ref))?.enum?.[0] ?? "x";

type Refusal = [status: number, message: string, details: { field: string; message: string }[]];

async function refusalOf(method: string, path: string, body?: unknown): Promise<Refusal> {
  const answer = await whenAllowed(() =>
    fetch(server.url + path, {
      method,
      headers: { Authorization: `Bearer ${client.token}`, "Content-Type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  );
  const text = await answer.text();
  const { message = "", details = [] } = text.startsWith("{") ? JSON.parse(text) : {};
  return [answer.status, message, details];
}

test("a body", async () => {
  const isJson = ({ operation }: { operation: Operation }) =>
    operation.requestBody?.content["application/json"] !== undefined;
  // Logins are limited: one request each. The set-up shares their limit, and is over here.
  const isLimited = (path: string) => path.includes("/auth/");
  // An address has few attempts there.
  const isElsewhere = (path: string) =>
    /\/(set-up|password-reset|confirm-address|account\/(email|totp|passkeys|second-factor)|auth\/passkey)\b/.test(
      path,
    );
  const withBodies = operations.filter((one) => isJson(one) && !isElsewhere(one.path));
  expect(withBodies.length).toBeGreaterThan(15);
  for (const { method, path, operation } of withBodies) {
    const { $ref } = operation.requestBody!.content["application/json"]!.schema;
    const { properties = {}, required = [] } = named($ref!);
    const wrong: unknown[] = [[]];
    if (!isLimited(path)) wrong.push(null, "text", 5);
    if (required.length > 0) wrong.push({});
    // No field accepts a list of lists.
    for (const name of isLimited(path) ? [] : Object.keys(properties)) wrong.push({ [name]: [[]] });
    for (const body of wrong) {
      // Batch items are checked one by one.
      if (
        path.endsWith("/batch") &&
        typeof body === "object" &&
        body !== null &&
        Object.keys(body).length > 0
      )
        continue;
      const [status, message, details] = await refusalOf(method, path, body);
      const where = `${method} ${path} ${JSON.stringify(body)}: ${message}`;
      expect([where, status, SENTENCES.test(message)]).toEqual([where, 400, true]);
      expect(message).not.toMatch(VALIDATORS_TEXT);
      const name = Object.keys(body ?? {})[0];
      const sentences = details.map((fault) => fault.message);
      expect([where, sentences.slice(0, 5).join(" ")]).toEqual([where, message]);
      for (const fault of details) {
        expect(fault.message).toStartWith(fault.field === "body" ? "The body " : `${fault.field} `);
      }
      if (name !== undefined && typeof body === "object")
        expect(message).toMatch(new RegExp(`\\b${name}[ .]`));
    }
  }
});

test("items of a batch", async () => {
  const items = [5, null, [], {}, { target: 5 }, { target: "https://a.example", force: "yes", password: [] }];
  const { body } = await client.call("POST", "/links/batch", { links: items });
  expect(body.data.failed.map(({ error }: { error: string }) => error)).toEqual([
    "The item must be an object.",
    "The item must be an object.",
    "The item must be an object.",
    "target is required.",
    "target must be text.",
    "password must be text. force must be true or false.",
  ]);
});

test("a query", async () => {
  let refused = 0;
  for (const { method, path, operation } of operations) {
    if (method !== "GET" || path.endsWith("/live")) continue;
    for (const { name, in: place } of operation.parameters) {
      if (place !== "query") continue;
      const needed = operation.parameters.filter(
        (one) => one.in === "query" && one.required && one.name !== name,
      );
      const others = needed.map((one) => `&${one.name}=${choiceOf(one.schema)}`).join("");
      const [status, message, details] = await refusalOf(
        method,
        `${path}?${name}=%00${"x".repeat(5_000)}${others}`,
      );
      if (status !== 400) continue;
      refused++;
      expect(message).not.toMatch(VALIDATORS_TEXT);
      expect(message).toContain(name);
      expect(message).toEndWith(".");
      // A tag of the query is one of `tags` in a body.
      const field = name === "tag" ? "tags" : name;
      expect([path, details]).toEqual([path, [{ field, message }]]);
    }
  }
  expect(refused).toBeGreaterThan(10);
});
