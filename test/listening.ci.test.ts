/** Listening with TLS and on unix sockets, and what a proxy may forward. */
import { afterAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { KeyPair } from "../src/lib/certificate.ts";
import { makeKeyPair } from "../src/lib/key-pair.test-support.ts";
import { until } from "./support/until.ts";
import { PASSWORD, signIn } from "./support/session.ts";
import { type Installation, install } from "./support/waymark.ts";

const installations: Installation[] = [];
const fresh = (settings: Record<string, string> = {}): Installation => {
  const made = install(settings);
  installations.push(made);
  return made;
};
afterAll(() => Promise.all(installations.map((made) => made.remove())));

describe("TLS", () => {
  test.skipIf(Bun.which("openssl") === null)("serves HTTPS (openssl makes the certificate)", async () => {
    const made = fresh();
    const [cert, key] = [join(made.dataDir, "cert.pem"), join(made.dataDir, "key.pem")];
    const openssl = Bun.spawnSync(
      [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
      ].concat(["-days", "2", "-subj", "/CN=localhost", "-keyout", key, "-out", cert]),
    );
    expect(openssl.exitCode).toBe(0);
    await made.cli(["links", "add", "https://example.com/", "--code", "secure"]);
    const tls = { WAYMARK__SERVER__TLS_CERT: cert, WAYMARK__SERVER__TLS_KEY: key };
    const server = await made.serve(tls);
    expect(server.url).toStartWith("https://");
    const answer = await fetch(`${server.url}/secure`, {
      redirect: "manual",
      tls: { rejectUnauthorized: false },
    });
    expect(answer.status).toBe(307);
    await expect(fetch(`${server.url}/secure`, { redirect: "manual" })).rejects.toThrow();
    await server.stop();
  });

  test.skipIf(Bun.which("openssl") === null)(
    "an expired certificate serves, and start, health, metrics and doctor say so; a wrong key does not",
    async () => {
      const made = fresh();
      const at = (name: string) => join(made.dataDir, name);
      const openssl = (command: string) =>
        expect(Bun.spawnSync(["openssl", ...command.split(" ")], { cwd: made.dataDir }).exitCode).toBe(0);
      openssl("req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout key.pem -out request.pem");
      openssl("x509 -req -in request.pem -signkey key.pem -days 0 -out cert.pem");
      openssl("genrsa -out other.pem 2048");
      const settings = (key: string) => ({
        WAYMARK__SERVER__TLS_CERT: at("cert.pem"),
        WAYMARK__SERVER__TLS_KEY: at(key),
      });
      const refused = await made.cli(["serve"], undefined, settings("other.pem"));
      expect([refused.exitCode, refused.stderr]).toEqual([
        2,
        expect.stringContaining(`${at("other.pem")} is not the key of the certificate in ${at("cert.pem")}`),
      ]);
      await made.run(["config", "set", "api.health_token", "a-token-of-the-test"]);
      const server = await made.serve(settings("key.pem"));
      const expired = `The certificate in ${at("cert.pem")} expired on`;
      const ask = (path: string) =>
        fetch(`${server.url}${path}`, {
          headers: { Authorization: "Bearer a-token-of-the-test" },
          tls: { rejectUnauthorized: false },
        });
      const report = (await (await ask("/health")).json()) as { data: { status: string; checks: object } };
      expect(report.data).toMatchObject({
        status: "degraded",
        checks: { certificates: { status: "degraded", message: expect.stringContaining(expired) } },
      });
      expect(await (await ask("/health/metrics")).text()).toContain(
        'svc_certificate_expiry_timestamp_seconds{setting="server.tls_cert"}',
      );
      expect(server.log()).toContain(expired);
      const doctor = await made.cli(["doctor"], undefined, settings("key.pem"));
      expect([doctor.exitCode, doctor.stdout]).toEqual([
        1,
        expect.stringContaining(`certificates: ${expired}`),
      ]);
      await server.stop();
    },
  );

  test.each(["1", "2"])("SIGHUP reads the certificate of %s workers again", async (workers) => {
    const made = fresh();
    const [cert, key] = [join(made.dataDir, "cert.pem"), join(made.dataDir, "key.pem")];
    const write = (pair: KeyPair) => {
      writeFileSync(cert, pair.cert);
      writeFileSync(key, pair.key);
    };
    const [before, after] = [makeKeyPair("before.test"), makeKeyPair("after.test")];
    write(before);
    const server = await made.serve({
      WAYMARK__SERVER__TLS_CERT: cert,
      WAYMARK__SERVER__TLS_KEY: key,
      WAYMARK__SERVER__WORKERS: workers,
    });
    const visit = ({ cert: ca }: KeyPair, serverName: string) =>
      fetch(`${server.url}/`, { redirect: "manual", keepalive: false, tls: { ca, serverName } }).then(
        ({ status }) => status,
        () => null,
      );
    expect(await visit(before, "before.test")).toBe(404);
    write({ cert: after.cert, key: before.key });
    server.process.kill("SIGHUP");
    await until(() => server.log().includes("is not the key of the certificate"));
    expect(await visit(before, "before.test")).toBe(404);
    write(after);
    server.process.kill("SIGHUP");
    await until(async () => (await visit(after, "after.test")) === 404);
    await until(async () => (await visit(before, "before.test")) === null);
    await server.stop();
  });

  test.each(["1", "2"])("an unreadable file fails a start of %s workers and is named", async (workers) => {
    const made = fresh({
      WAYMARK__SERVER__WORKERS: workers,
      WAYMARK__SERVER__TLS_CERT: "/nowhere/cert.pem",
      WAYMARK__SERVER__TLS_KEY: "/nowhere/key.pem",
    });
    const result = await made.cli(["serve"]);
    expect(result.exitCode).toBe(2);
    expect(result.stderr).toContain("/nowhere/cert.pem");
  });
});

describe("unix socket", () => {
  test("serves on it, replaces a dead one, refuses a live one and several workers", async () => {
    const made = fresh();
    const socket = join(made.dataDir, "waymark.sock");
    const settings = { WAYMARK__SERVER__UNIX_SOCKET: socket };
    await made.cli(["links", "add", "https://example.com/", "--code", "local"]);
    const first = await made.serve(settings);
    const visit = () => fetch("http://localhost/local", { unix: socket, redirect: "manual" });
    expect((await visit()).status).toBe(307);
    const second = fresh(settings);
    expect(await second.cli(["serve"])).toMatchObject({ exitCode: 4 });
    await first.kill();
    const again = await made.serve(settings);
    expect((await visit()).status).toBe(307);
    await again.stop();
    const several = fresh({ ...settings, WAYMARK__SERVER__WORKERS: "2" });
    expect((await several.cli(["serve"])).stderr).toContain("server.workers");
  });

  test("a file that is not a socket is refused and kept", async () => {
    const made = fresh();
    const path = join(made.dataDir, "precious.txt");
    writeFileSync(path, "keep me");
    const other = fresh({ WAYMARK__SERVER__UNIX_SOCKET: path });
    expect((await other.cli(["serve"])).exitCode).toBe(4);
    expect(await Bun.file(path).text()).toBe("keep me");
  });

  test("behind a trusted proxy on the socket, login limits count the forwarded address", async () => {
    const made = fresh();
    const socket = join(made.dataDir, "waymark.sock");
    await made.cli(["reset-password", "--stdin"], PASSWORD);
    await made.cli(["config", "set", "api.trusted_proxies", "unix"]);
    const server = await made.serve({ WAYMARK__SERVER__UNIX_SOCKET: socket });
    const attempt = (address: string) =>
      fetch("http://localhost/admin/v1/auth/login", {
        unix: socket,
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Forwarded-For": address },
        body: JSON.stringify({ username: "nobody-here", password: "wrong password" }),
      }).then((answer) => answer.status);
    const flood = await Promise.all(Array.from({ length: 12 }, () => attempt("198.51.100.7")));
    expect(flood).toContain(429);
    expect(await attempt("198.51.100.8")).toBeOneOf([401, 429]);
    await server.stop();
  });
});

test("CORS applies at once when enabled, and only to the listed origins", async () => {
  const made = fresh();
  await made.cli(["reset-password", "--stdin"], PASSWORD);
  const server = await made.serve();
  const client = await signIn(server.url);
  const preflight = (origin: string) =>
    fetch(`${server.url}/admin/v1/links`, {
      method: "OPTIONS",
      headers: { Origin: origin, "Access-Control-Request-Method": "POST" },
    });
  expect((await preflight("https://app.example")).headers.get("access-control-allow-origin")).toBeNull();
  await client.call("PUT", "/config/cors.allowed_origins", { value: "https://app.example" });
  await client.call("PUT", "/config/cors.enabled", { value: "true" });
  const allowed = await preflight("https://app.example");
  expect(allowed.headers.get("access-control-allow-origin")).toBe("https://app.example");
  expect(allowed.headers.get("access-control-allow-methods")).toContain("POST");
  for (const sent of ["Authorization", "X-CSRF-Token", "Tus-Resumable", "Upload-Offset", "Upload-Checksum"])
    expect(allowed.headers.get("access-control-allow-headers")?.split(",")).toContain(sent);
  expect((await preflight("https://evil.example")).headers.get("access-control-allow-origin")).not.toBe(
    "https://evil.example",
  );
  const real = await client.fetch("/stats", { headers: { Origin: "https://app.example" } });
  expect(real.headers.get("access-control-allow-origin")).toBe("https://app.example");
  await server.stop();
});
