/** Several worker processes on one port behave as one server. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Client, startSignedIn } from "./support/session.ts";
import { type Installation, install, type RunningWaymark } from "./support/waymark.ts";

let installation: Installation;
let server: RunningWaymark;
let client: Client;

beforeAll(async () => {
  ({ installation, server, client } = await startSignedIn({
    WAYMARK__SERVER__WORKERS: "2",
    WAYMARK__LOGGING__LEVEL: "debug",
  }));
});
afterAll(() => installation.remove());

/** On its own connection, so that the kernel picks a worker each time. */
const visit = (path: string) =>
  fetch(server.url + path, { redirect: "manual", keepalive: false, headers: { Connection: "close" } });

const workerPids = (): number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return (
          readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ")[1] ===
          String(server.process.pid)
        );
      } catch {
        return false;
      }
    });

async function untilTwoWorkers(without: readonly number[] = []): Promise<void> {
  while (workerPids().filter((pid) => !without.includes(pid)).length < 2) await Bun.sleep(50);
}

describe.skipIf(process.platform !== "linux")("two workers", () => {
  test("both run, and a change on one applies to the next request on any", async () => {
    expect(workerPids()).toHaveLength(2);
    for (let round = 0; round < 20; round++) {
      const target = `https://example.com/${round}`;
      await client.call("POST", "/links", { code: "moving", target, force: true });
      const answers = await Promise.all(Array.from({ length: 8 }, () => visit("/moving")));
      expect(new Set(answers.map((answer) => answer.headers.get("location")))).toEqual(new Set([target]));
    }
    await client.call("DELETE", "/links/moving");
    const gone = await Promise.all(Array.from({ length: 8 }, () => visit("/moving")));
    expect(gone.map((answer) => answer.status)).toEqual(Array.from({ length: 8 }, () => 404));
  });

  test("a setting and a logout apply to both at once", async () => {
    await client.call("PUT", "/config/features.default_url", { value: "https://example.com/home" });
    const roots = await Promise.all(Array.from({ length: 8 }, () => visit("/")));
    expect(roots.every((answer) => answer.status === 307)).toBe(true);
  });

  test("a revoked API token is refused by both before the revocation is answered", async () => {
    for (let round = 0; round < 10; round++) {
      const created = await client.call("POST", "/tokens", { name: `t${round}`, scopes: ["links:read"] });
      const { id, token } = created.body.data;
      const uses = () =>
        Promise.all(
          Array.from({ length: 8 }, async () => {
            const headers = { Authorization: `Bearer ${token}`, Connection: "close" };
            const answer = await fetch(`${server.url}/admin/v1/links`, { keepalive: false, headers });
            return answer.status;
          }),
        );
      expect(await uses()).toEqual(Array.from({ length: 8 }, () => 200));
      expect((await client.call("DELETE", `/tokens/${id}`)).status).toBe(200);
      expect(await uses()).toEqual(Array.from({ length: 8 }, () => 401));
    }
  });

  test("both share one login limit per address", async () => {
    const attempt = () =>
      fetch(`${server.url}/admin/v1/auth/login`, {
        method: "POST",
        body: JSON.stringify({ username: crypto.randomUUID().slice(0, 8), password: "wrong password" }),
        keepalive: false,
        headers: { "Content-Type": "application/json", Connection: "close" },
      });
    const statuses = (await Promise.all(Array.from({ length: 20 }, attempt))).map((answer) => answer.status);
    expect(statuses.filter((status) => status === 401).length).toBeWithin(1, 8);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(12);
  });

  test("a killed worker is replaced, and no answered click is lost", async () => {
    await client.call("POST", "/links", { code: "counted", target: "https://example.com/" });
    const killed = workerPids()[0]!;
    let answered = 0;
    let failed = 0;
    for (let round = 0; round < 300; round++) {
      if (round === 100) process.kill(killed, "SIGKILL");
      await visit("/counted").then(
        (answer) => (answer.status === 307 ? answered++ : failed++),
        () => failed++,
      );
    }
    await untilTwoWorkers([killed]);
    expect(server.log()).toContain("a worker ended (signal SIGKILL); starting a new one");
    // The killed worker may have recorded a request without answering it.
    expect(failed).toBeLessThanOrEqual(2);
    // Clicks left by the killed worker are counted by its successor or at the next start.
    await server.stop();
    server = await installation.serve();
    const counted = async () =>
      JSON.parse((await installation.cli(["links", "get", "counted", "--json"])).stdout).click_count;
    while ((await counted()) < answered) await Bun.sleep(50);
    expect(await counted()).toBeWithin(answered, answered + failed + 1);
  });

  test("SIGHUP replaces both, one after another, while requests continue", async () => {
    const before = workerPids();
    let isReloading = true;
    const statuses = new Map<number | string, number>();
    const load = Array.from({ length: 4 }, async () => {
      while (isReloading) {
        const status = await visit("/counted").then(
          (answer) => answer.status,
          (error: Error) => error.message,
        );
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    });
    process.kill(server.process.pid, "SIGHUP");
    while (!server.log().includes('"msg":"reloaded"')) await Bun.sleep(50);
    isReloading = false;
    await Promise.all(load);
    expect(workerPids().filter((pid) => before.includes(pid))).toEqual([]);
    expect([...statuses.keys()]).toEqual([307]);
  });

  test("workers of a parent that is killed stop by themselves", async () => {
    const orphans = workerPids();
    await server.kill();
    const alive = (pid: number) => {
      try {
        return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]![0] !== "Z";
      } catch {
        return false;
      }
    };
    while (orphans.some(alive)) await Bun.sleep(50);
    expect(orphans).toHaveLength(2);
  });
});

test("a worker whose parent dies as it starts to listen ends and frees the port", async () => {
  const alone = install();
  let address = "";
  const worker = Bun.spawn([process.execPath, "src/main.ts", "serve", "--worker-port", "0"], {
    cwd: join(import.meta.dir, ".."),
    env: { ...process.env, WAYMARK__DATA__DIR: alone.dataDir, WAYMARK__LOGGING__LEVEL: "error" },
    stdio: ["ignore", "ignore", "inherit"],
    ipc(message: { type: string; id: number; method: string; payload: { address: string } }, child) {
      if (message.type !== "call") return;
      if (message.method !== "ready")
        return void child.send({ type: "reply", id: message.id, payload: null });
      ({ address } = message.payload);
      child.disconnect();
    },
  });
  try {
    expect(await worker.exited).toBe(0);
    expect(address).toStartWith("http://127.0.0.1:");
    expect(await fetch(address).then(String, () => "refused")).toBe("refused");
  } finally {
    worker.kill("SIGKILL");
    await alone.remove();
  }
});
