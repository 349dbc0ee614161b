/**
 * Tests a fresh server against its OpenAPI document with schemathesis, as administrator with the cookies of a session.
 * The version and settings are in schemathesis.d/.
 * Prints what was found. Options go to `schemathesis run`, such as `--include-path /folders` or `--mode positive`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PASSWORD, signIn } from "../test/support/session.ts";
import { type Installation, install } from "../test/support/waymark.ts";
import { installPython, run } from "./tools.ts";

const SETTINGS = join(import.meta.dir, "schemathesis.d");
/** A server with one of everything, and what the settings name of it. */
async function startServer(installation: Installation) {
  await installation.cli(["reset-password", "--stdin"], PASSWORD);
  // One session lasts for the whole run.
  await installation.cli(["config", "set", "api.access_token_minutes", "1440"]);
  const server = await installation.serve();
  const login = await fetch(`${server.url}/admin/v1/auth/login`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ password: PASSWORD }),
  });
  const cookies = new Map(
    login.headers.getSetCookie().map((line) => line.split(/[=;]/, 2) as [string, string]),
  );
  const { token, call } = await signIn(server.url);
  const post = async (path: string, body: BodyInit, headers: Record<string, string> = {}) => {
    const authorization = { Authorization: `Bearer ${token}` };
    const answer = await fetch(server.url + path, {
      method: "POST",
      headers: { ...authorization, ...headers },
      body,
    });
    if (!answer.ok) throw new Error(`POST ${path} answered ${answer.status}: ${await answer.text()}`);
    return answer;
  };
  const form = new FormData();
  form.append("file", new File(["0123456789"], "digits.txt"));
  await post("/files/upload", form);
  await post("/folders", JSON.stringify({ name: "folder" }));
  const upload = await post("/files/tus", "", {
    "Tus-Resumable": "1.0.0",
    "Upload-Length": "10",
    "Upload-Metadata": `filename ${btoa("upload")}`,
  });
  const target = "https://example.com/";
  for (const [method, path, body] of [
    ["POST", "/domains", { host: "go.example.com" }],
    ["POST", "/links", { code: "link", target, tags: ["spring"] }],
    ["POST", "/links", { code: "link", target, domain: "go.example.com" }],
    ["POST", "/links", { code: "gone", target }],
    ["DELETE", "/links/gone", undefined],
    ["POST", "/users", { username: "user", password: PASSWORD }],
    ["POST", "/tokens", { name: "token", scopes: ["links:read"] }],
  ] as const) {
    const { status, body: answer } = await call(method, path, body);
    if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${answer.message}`);
  }
  const history = await call("GET", "/links/link/history");
  const document = await (
    await fetch(`${server.url}/admin/v1/openapi.json`, { headers: { Authorization: `Bearer ${token}` } })
  ).text();
  return {
    server,
    document,
    variables: {
      SESSION: cookies.get("svc_access")!,
      CSRF: cookies.get("csrf_token")!,
      UPLOAD: upload.headers.get("Location")!.split("/").at(-1)!,
      EVENT: String(history.body.data[0].id),
    },
  };
}

type Operation = { parameters?: { name?: string }[] };

/**
 * Without the headers that refuse what else is right: a made-up condition never holds, and the same key with another
 * request is refused. Reads keep the conditions that end in 304.
 */
function withoutRefusals(document: string): string {
  const described = JSON.parse(document) as { paths: Record<string, Record<string, Operation>> };
  const refusing = ["If-Match", "If-Unmodified-Since"];
  const refusingWrites = [...refusing, "If-None-Match", "Idempotency-Key"];
  for (const methods of Object.values(described.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const left = method === "get" ? refusing : refusingWrites;
      operation.parameters = operation.parameters?.filter(({ name = "" }) => !left.includes(name)) ?? [];
    }
  }
  return JSON.stringify(described);
}

/** The failures and the summary, without the tool's advice between them. */
function found(text: string): string {
  const from = Math.max(0, text.search(/^=+ (?:ERRORS|FAILURES) =+$/m));
  return text.slice(from).replace(/^=+ WARNINGS =+$[\s\S]*?(?=^=+ SUMMARY =+$)/m, "");
}

const summary = (text: string): string => text.slice(Math.max(0, text.search(/^=+ SUMMARY =+$/m)));

const python = await installPython("schemathesis");
const program = join(python, "schemathesis");
const work = mkdtempSync(join(tmpdir(), "waymark-schemathesis-"));
const installation = install();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, async () => {
    await installation.remove();
    process.exit(130);
  });
}
process.once("exit", () => rmSync(work, { recursive: true, force: true }));
try {
  const { server, document, variables } = await startServer(installation);
  let settings = await Bun.file(join(SETTINGS, "schemathesis.toml")).text();
  for (const [name, value] of Object.entries(variables)) settings = settings.replaceAll(`\${${name}}`, value);
  await Bun.write(join(work, "schemathesis.toml"), settings);
  await Bun.write(join(work, "openapi.json"), withoutRefusals(document));
  const options = ["--url", server.url, ...process.argv.slice(2)];
  const { status, text } = await run(
    [program, "--config-file", "schemathesis.toml", "run", "openapi.json", ...options],
    work,
    { SCHEMATHESIS_HOOKS: join(SETTINGS, "hooks.py") },
  );
  const ended = await server.stop();
  console.log(status === 0 ? summary(text) : found(text));
  if (ended !== 0) console.log(`The server ended with ${ended}:\n${server.log().slice(-5_000)}`);
  process.exitCode = status === 0 && ended === 0 ? 0 : 1;
} finally {
  await installation.remove();
}
