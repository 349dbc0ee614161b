/** Two nodes share a folder for files. What one leaves there when it is killed or paused goes; the other uploads on. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Fresh, HALF, isLong, serverUrl } from "../src/platform/db/fresh.test-support.ts";
import { createMigrated } from "../src/platform/db/schema-copy.test-support.ts";
import { driveClient, fileHead, FORM_TYPE, formOf } from "./support/drive.ts";
import { PASSWORD, signIn } from "./support/session.ts";
import { until } from "./support/until.ts";
import { install, type Installation, type RunningWaymark } from "./support/waymark.ts";

const MIB = 1024 * 1024;
const BYTES = randomBytes(16 * MIB);
const SHA256 = new Bun.CryptoHasher("sha256").update(BYTES).digest("hex");
/** What an upload sends before it waits. */
const SENT = 9 * MIB;
const HEALTH_TOKEN = "health-token-of-the-test";

type Started = { finish(): Promise<{ status: number; body: string }> };

/** Servers cut an upload that is silent for a minute. */
const ALIVE_MS = 5_000;

/** Sends a request up to SENT bytes of its body, then one byte now and then; the rest follows with `finish`. */
function begin(url: string, head: string, body: Uint8Array): Started {
  const { promise, resolve } = Promise.withResolvers<string>();
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  let text = "";
  socket.on("error", () => resolve(text));
  socket.on("close", () => resolve(text));
  socket.on("data", (chunk) => void (text += chunk.toString("latin1")));
  const length = `Content-Length: ${body.length}`;
  socket.write(`${head}\r\nHost: x\r\nConnection: close\r\n${length}\r\n\r\n`);
  let sent = SENT;
  socket.write(body.subarray(0, sent));
  const alive = setInterval(() => socket.write(body.subarray(sent, ++sent)), ALIVE_MS);
  socket.on("close", () => clearInterval(alive));
  return {
    async finish() {
      clearInterval(alive);
      socket.write(body.subarray(sent));
      const answer = await promise;
      return {
        status: Number(answer.slice(9, 12)),
        body: answer.slice(answer.indexOf("\r\n\r\n") + 4),
      };
    },
  };
}

const dialects = HALF.filter((name) => name === "sqlite" || serverUrl(name) !== undefined);
if (dialects.length === 0) test.skip(`needs ${HALF.join(", ")}`, () => {});

describe.each(dialects)("on %s", (dialect) => {
  let fresh: Fresh;
  let shared: string;
  let nodes: { installation: Installation; server: RunningWaymark; me: ReturnType<typeof driveClient> }[] =
    [];
  let folder = 0;

  beforeAll(async () => {
    fresh = await createMigrated(dialect);
    shared = realpathSync(mkdtempSync(join(tmpdir(), "waymark-shared-")));
    const settings = { WAYMARK__DATABASE__URL: fresh.url, WAYMARK__STORAGE__LOCAL_ROOTS: shared };
    const installations = [install(settings), install(settings)];
    await installations[0]!.cli(["reset-password", "--stdin"], PASSWORD);
    await installations[0]!.cli(["config", "set", "api.health_token", HEALTH_TOKEN]);
    for (const installation of installations) {
      const server = await installation.serve();
      const { token } = await signIn(server.url);
      nodes.push({ installation, server, me: driveClient(server.url, token) });
    }
    const policy = { name: "shared", driver_type: "local", base_path: join(shared, "files") };
    const { data } = (await nodes[0]!.me.call("POST", "/admin/policies", policy)).body;
    folder = await nodes[0]!.me.folder("shared");
    expect((await nodes[0]!.me.call("PATCH", `/folders/${folder}`, { policy_id: data.id })).status).toBe(200);
  });
  afterAll(async () => {
    await Promise.all(nodes.map(({ installation }) => installation.remove()));
    nodes = [];
    rmSync(shared, { recursive: true, force: true });
    await fresh?.drop();
  });

  const stagings = (): string[] => readdirSync(join(shared, "files", ".staging"));

  /** Resolves when its bytes arrive in the shared folder. */
  async function upload(node: number, name: string): Promise<Started & { id: string }> {
    const { server, me } = nodes[node]!;
    const before = stagings();
    const form = formOf([fileHead(name, "application/octet-stream"), BYTES.toString("latin1")]);
    const head =
      `POST /files/upload?folder_id=${folder} HTTP/1.1\r\n` +
      `Authorization: Bearer ${me.token}\r\nContent-Type: ${FORM_TYPE}`;
    const started = begin(server.url, head, Buffer.from(form.toString(), "latin1"));
    await until(() => stagings().length > before.length);
    return { ...started, id: stagings().find((id) => !before.includes(id))! };
  }

  const tus = (node: number, path: string, method: string, headers = {}, body?: BodyInit) =>
    nodes[node]!.me.send(path, {
      method,
      headers: { "Tus-Resumable": "1.0.0", ...headers },
      ...(body && { body }),
    });
  const patch = (node: number, path: string, offset: number, end = BYTES.length) =>
    tus(
      node,
      path,
      "PATCH",
      { "Content-Type": "application/offset+octet-stream", "Upload-Offset": String(offset) },
      BYTES.subarray(offset, end) as Buffer<ArrayBuffer>,
    );
  const hashOf = async (id: string | number): Promise<string> => {
    const content = await (await nodes[1]!.me.send(`/files/${id}/download`)).bytes();
    return new Bun.CryptoHasher("sha256").update(content).digest("hex");
  };
  async function expectSound(): Promise<void> {
    const { stdout, exitCode } = await nodes[1]!.installation.cli(["doctor", "--storage", "--json"]);
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 });
  }

  test("leftovers of a killed node go after its next start; other uploads are finished", async () => {
    const encode = (text: string) => Buffer.from(text).toString("base64");
    const made = await tus(0, "/files/tus", "POST", {
      "Upload-Length": String(BYTES.length),
      "Upload-Metadata": `filename ${encode("resumed")},folder_id ${encode(String(folder))}`,
    });
    const resumable = made.headers.get("Location")!;
    expect((await patch(0, resumable, 0, SENT)).status).toBe(204);
    const living = await upload(1, "living");
    const dead = [await upload(0, "dead 1"), await upload(0, "dead 2"), await upload(0, "dead 3")];
    expect(stagings().length).toBe(5);

    await nodes[0]!.server.kill();
    expect(stagings().length).toBe(5);
    const server = await nodes[0]!.installation.serve();
    nodes[0] = { ...nodes[0]!, server, me: driveClient(server.url, nodes[0]!.me.token) };
    await until(() => stagings().length === 2);
    for (const { id } of dead) expect(stagings()).not.toContain(id);
    expect(stagings()).toContain(living.id);
    const report = async () => {
      const headers = { Authorization: `Bearer ${HEALTH_TOKEN}` };
      const { data } = await (await fetch(`${server.url}/health`, { headers })).json();
      return data.unfinished_uploads;
    };
    // The resumable upload, and what the living one has stored by then. A killed node may hold the job's lease for a
    // minute, and a failed sweep is tried again after one.
    await until(async () => {
      const { bytes, abandoned_bytes } = await report();
      return abandoned_bytes === 0 && bytes > SENT;
    }, 6_000).catch(async () => expect([await report(), stagings()]).toEqual(["two unfinished uploads", []]));
    const { counted_at } = await report();
    expect(Date.parse(counted_at)).toBeGreaterThan(0);

    const answer = await living.finish();
    expect([answer.status, JSON.parse(answer.body).data.sha256]).toEqual([201, SHA256]);
    expect(await hashOf(JSON.parse(answer.body).data.id)).toBe(SHA256);
    const last = await patch(0, resumable, SENT);
    expect(last.status).toBe(204);
    expect(await hashOf(last.headers.get("X-File-Id")!)).toBe(SHA256);
    await until(() => stagings().length === 0);
    await expectSound();
  });

  // The databases differ in nothing here, and the other node watches for half a minute.
  if (!isLong || dialect !== dialects[0]) return;
  test("the upload of a node that was paused too long fails in words, and the next one succeeds", async () => {
    const paused = await upload(0, "paused");
    const { server } = nodes[0]!;
    process.kill(server.process.pid, "SIGSTOP");
    await until(() => stagings().length === 0, 6_000);
    process.kill(server.process.pid, "SIGCONT");
    const { status, body } = await paused.finish();
    expect(status).toBe(502);
    expect(JSON.parse(body)).toMatchObject({ message: expect.stringMatching(/^The storage .+\.$/) });
    const again = await (await upload(0, "again")).finish();
    expect(again.status).toBe(201);
    expect(await hashOf(JSON.parse(again.body).data.id)).toBe(SHA256);
    const { data } = (await nodes[1]!.me.call("GET", `/folders/${folder}`)).body;
    expect(JSON.stringify(data)).not.toContain("paused");
    await expectSound();
  });
});
