/** Who does not reach an account or team learns from no answer whether there is one of that name. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { driveClient } from "./support/drive.ts";
import { type Client, clientOf, signIn } from "./support/session.ts";
import { startShared } from "./support/shared-server.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

type Schema = {
  $ref?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  allOf?: Schema[];
  oneOf?: Schema[];
};
type Operation = {
  parameters?: { name: string; in: string }[];
  requestBody?: { content: Record<string, { schema?: Schema }> };
  security?: Record<string, string[]>[];
};

const PASSWORD = "a long password";
const target = "https://example.com/";
/** Nobody has the second one, which is as long. */
const [KNOWN, UNKNOWN] = ["hidden.anna", "hidden.none"];
const NAMING = new Set(["owner", "team", "transfer_to", "account", "members"]);

let installation: Installation;
let server: RunningWaymark;
let admin: Client;
/** By what they are. All but the first may make links. */
const callers = new Map<string, Client>();
const ids = { folder: 0, file: 0, domain: 0 };
let paths: Record<string, Record<string, Operation>>;
let schemas: Record<string, Schema>;

beforeAll(async () => {
  ({ installation, server, client: admin } = await startShared());
  for (const [username, role] of [
    [KNOWN, "editor"],
    ["a.user", "user"],
    ["an.editor", "editor"],
  ] as const)
    await admin.call("POST", "/users", { username, password: PASSWORD, role });
  await admin.call("POST", "/teams", { name: KNOWN, members: [{ account: KNOWN, role: "manager" }] });
  const members = [
    { account: "an.editor", role: "manager" },
    { account: "a.user", role: "viewer" },
  ];
  await admin.call("POST", "/teams", { name: "own", members });
  const hidden = await signIn(server.url, PASSWORD, KNOWN);
  await hidden.call("POST", "/links", { code: "hidden", target });
  await admin.call("POST", "/links", { code: "hidden-team", target, owner: `team:${KNOWN}` });
  callers.set("user", await signIn(server.url, PASSWORD, "a.user"));
  const editor = await signIn(server.url, PASSWORD, "an.editor");
  callers.set("editor", editor);
  const scopes = ["links:read", "links:write", "analytics:read", "files:read", "files:write"];
  const { body } = await editor.call("POST", "/tokens", { name: "all", scopes });
  callers.set("token", clientOf(server.url, body.data.token));
  await editor.call("POST", "/links", { code: "own", target });
  await admin.call("POST", "/domains", { host: "own.example", owner: "team:own" });
  ids.domain = (await admin.call("GET", "/domains")).body.data[0].id;
  const drive = driveClient(server.url, editor.token);
  ids.folder = (await drive.call("POST", "/folders", { name: "own" })).body.data.id;
  ids.file = (await drive.upload("own.txt", "text")).body.data.id;
  const document = (await (await admin.fetch("/openapi.json")).json()) as {
    paths: typeof paths;
    components: { schemas: typeof schemas };
  };
  ({ paths } = document);
  ({ schemas } = document.components);
});
afterAll(() => installation.remove());

/** Names of fields, at any depth. */
function fieldsOf(schema: Schema | undefined, seen = new Set<string>()): string[] {
  if (schema === undefined || seen.has(schema.$ref ?? "")) return [];
  if (schema.$ref !== undefined) {
    seen.add(schema.$ref);
    return fieldsOf(schemas[schema.$ref.split("/").at(-1)!], seen);
  }
  const { properties = {}, items, anyOf = [], allOf = [], oneOf = [] } = schema;
  const inside = [...Object.values(properties), items, ...anyOf, ...allOf, ...oneOf];
  return [...Object.keys(properties), ...inside.flatMap((one) => fieldsOf(one, seen))];
}

/** `METHOD path field` of the requests in which somebody who is no administrator names an owner. */
const naming = () =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { parameters = [], requestBody, security = [] }]) => {
      if (method === "parameters" || security.some(({ bearer }) => bearer?.[0] === "admin")) return [];
      const asked = parameters.filter((one) => one.in === "query").map(({ name }) => `?${name}`);
      const sent = Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => fieldsOf(schema));
      return [...new Set([...asked, ...sent])]
        .filter((name) => NAMING.has(name.replace("?", "")))
        .map((name) => `${method.toUpperCase()} ${path} ${name}`);
    }),
  );

/** Names people who can't be signed in, with the same answer for all: src/auth/contact. Managers: below. */
const ELSEWHERE = [
  "POST /admin/v1/auth/password-reset account",
  "PATCH /admin/v1/teams/{id} members",
  "PATCH /admin/v1/teams/{id} account",
];

const MAIL = { title: "a", days: 7, every: "day", at: "08:00", to: ["anna@example.com"] };

/** What is beside the name in a request of `naming`. */
const BODIES: Record<string, (owner: string) => object> = {
  "PATCH /admin/v1/domains/{id} owner": (owner) => ({ owner }),
  "POST /admin/v1/links owner": (owner) => ({ target, owner }),
  "PUT /admin/v1/links/{code} owner": (owner) => ({ target, owner }),
  "PATCH /admin/v1/links/{code} owner": (owner) => ({ owner }),
  "POST /admin/v1/links/batch owner": (owner) => ({ links: [{ target, owner }] }),
  "PUT /admin/v1/links/batch owner": (owner) => ({ updates: [{ code: "own", payload: { target, owner } }] }),
  "POST /admin/v1/links/batch/query owner": (owner) => ({
    filter: { owner },
    action: "update",
    set: { title: "a" },
  }),
  "POST /admin/v1/links/batch/query team": (team) => ({
    filter: { team },
    action: "update",
    set: { title: "a" },
  }),
  "POST /admin/v1/analytics/pages owner": (owner) => ({ title: "a", filter: { owner }, days: 7 }),
  "POST /admin/v1/analytics/pages team": (team) => ({ title: "a", filter: { team }, days: 7 }),
  "PATCH /admin/v1/analytics/pages/{id} owner": (owner) => ({ filter: { owner } }),
  "PATCH /admin/v1/analytics/pages/{id} team": (team) => ({ filter: { team } }),
  "POST /admin/v1/analytics/mails owner": (owner) => ({ ...MAIL, filter: { owner } }),
  "POST /admin/v1/analytics/mails team": (team) => ({ ...MAIL, filter: { team } }),
  "PATCH /admin/v1/analytics/mails/{id} owner": (owner) => ({ filter: { owner } }),
  "PATCH /admin/v1/analytics/mails/{id} team": (team) => ({ filter: { team } }),
  "POST /admin/v1/presets owner": (owner) => ({ kind: "view", name: "a", content: { q: "a" }, owner }),
  "POST /folders owner": (owner) => ({ name: "new", owner }),
  "PATCH /folders/{id} owner": (owner) => ({ owner }),
  "PATCH /files/{id} owner": (owner) => ({ owner }),
};

const send = (client: Client, path: string, init: RequestInit) =>
  fetch(server.url + path, {
    ...init,
    headers: { ...(init.headers as object), Authorization: `Bearer ${client.token}` },
  });

async function answerOf(client: Client, operation: string, name: string): Promise<string> {
  const [method = "", path = "", field = ""] = operation.split(" ");
  const id = path.includes("/domains/") ? ids.domain : path.includes("/files/") ? ids.file : ids.folder;
  const isAsked = field.startsWith("?");
  const query = isAsked ? `${field}=${encodeURIComponent(name)}&by=browser` : "";
  const form = new FormData();
  form.append("file", new File(["text"], "a.txt"), "a.txt");
  const body = path === "/files/upload" ? form : isAsked ? null : JSON.stringify(BODIES[operation]!(name));
  const aborted = new AbortController();
  const response = await send(client, path.replace("{id}", String(id)).replace("{code}", "own") + query, {
    method,
    body,
    signal: aborted.signal,
    headers: typeof body === "string" ? { "Content-Type": "application/json" } : {},
  });
  const isStream = response.headers.get("Content-Type")?.startsWith("text/event-stream");
  const text = isStream ? "" : await response.text();
  aborted.abort();
  const told = text
    .replaceAll(name, "NAME")
    .replaceAll(/"(?:request_id|from|to|as_of|id)":\s*[^,}]*/g, "")
    .replaceAll(/"(?:code|short_url|created_at|updated_at)":"[^"]*"/g, "");
  return `${response.status} ${told}`;
}

test("every request with an owner gets the same answer for a hidden name and for none", async () => {
  const operations = naming().filter((operation) => !ELSEWHERE.includes(operation));
  const missing = operations.filter((one) => !one.includes("?") && BODIES[one] === undefined);
  expect(missing).toEqual([]);
  expect(operations.length).toBeGreaterThan(40);
  const statuses = new Set<string>();
  for (const operation of operations) {
    const isTeam = /\??team$/.test(operation);
    for (const [who, client] of callers) {
      for (const mark of isTeam ? [""] : ["", "team:"]) {
        const [known, unknown] = [
          await answerOf(client, operation, mark + KNOWN),
          await answerOf(client, operation, mark + UNKNOWN),
        ];
        expect([operation, who, mark, known]).toEqual([operation, who, mark, unknown]);
        statuses.add(known.slice(0, 3));
      }
    }
  }
  expect(statuses.has("200") && statuses.has("403")).toBe(true);
  expect(statuses.has("500")).toBe(false);
});

test("WebDAV and resumable uploads tell no more", async () => {
  for (const client of callers.values()) {
    const upload = async (owner: string) => {
      const metadata = `filename ${btoa("a.txt")},owner ${btoa(owner)}`;
      const headers = { "Tus-Resumable": "1.0.0", "Upload-Length": "4", "Upload-Metadata": metadata };
      const answer = await send(client, "/files/tus", { method: "POST", headers });
      return [answer.status, (await answer.text()).replaceAll(owner, "NAME")];
    };
    for (const mark of ["", "team:"])
      expect(await upload(mark + KNOWN)).toEqual(await upload(mark + UNKNOWN));
  }
  const token = callers.get("token")!.token;
  const dav = async (method: string, name: string) => {
    const answer = await fetch(`${server.url}/admin/dav/teams/${name}/a.txt`, {
      method,
      headers: { Authorization: `Basic ${btoa(`an.editor:${token}`)}` },
      ...(method === "PUT" && { body: "text" }),
    });
    return [answer.status, (await answer.text()).replaceAll(name, "NAME")];
  };
  for (const method of ["GET", "PROPFIND", "PUT", "DELETE", "MKCOL", "LOCK"]) {
    expect([method, (await dav(method, KNOWN))[0]]).toEqual([method, 404]);
    expect([method, ...(await dav(method, KNOWN))]).toEqual([method, ...(await dav(method, UNKNOWN))]);
  }
});

test("administrators learn that a name is unknown", async () => {
  const { status, body } = await admin.call("POST", "/links", { target, owner: UNKNOWN });
  expect([status, body.message]).toEqual([400, `owner: there is no account or team '${UNKNOWN}'.`]);
});
