/** The proxies of deploy/ before a real server, over HTTP/2 with TLS. Says which of them is not installed. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { driveClient } from "./support/drive.ts";
import { isInstalled, NAME, type Proxy, type ProxyKind, startProxy } from "./support/proxies.ts";
import { type Client, PASSWORD, startSignedIn } from "./support/session.ts";
import { until } from "./support/until.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

const SITE = `https://${NAME}`;
const MIB = 1024 * 1024;
const KINDS: ProxyKind[] = ["nginx", "caddy", "haproxy"];

let installation: Installation;
let server: RunningWaymark;
let client: Client;

beforeAll(async () => {
  ({ installation, server, client } = await startSignedIn());
  await client.call("PUT", "/config/api.trusted_proxies", { value: '["127.0.0.1"]' });
  await client.call("PUT", "/config/features.public_url", { value: SITE });
  await client.call("POST", "/links", { code: "proxied", target: "https://example.com/proxied" });
});
afterAll(() => installation.remove());

/** The size of the largest file of the installation. */
const largestFile = (): number =>
  Math.max(
    ...readdirSync(join(installation.dataDir, "files"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );

for (const kind of KINDS.filter((one) => !isInstalled(one)))
  console.log(`skipped: ${kind} before Waymark, there is none (Debian: ${kind})`);

describe.each(KINDS.filter(isInstalled))("%s", (kind) => {
  let proxy: Proxy;
  const bearer = () => ["-H", `Authorization: Bearer ${client.token}`];

  beforeAll(async () => {
    proxy = await startProxy(kind, new URL(server.url).host);
  });
  afterAll(() => proxy.stop());

  test("redirects over HTTP/2", async () => {
    const told = await proxy.curl([`${SITE}/proxied`, "-w", "%{http_version} %{http_code} %{redirect_url}"]);
    expect(told).toBe("2 307 https://example.com/proxied");
  });

  test("passes the longest targets on, in redirects and to the API", async () => {
    const base = "https://example.com/";
    const code = `long-${kind}`;
    const other = "ü".repeat((8_192 - base.length) / 2);
    for (const target of [base + "a".repeat(8_192 - base.length), base + other]) {
      const link = JSON.stringify({ code, target, force: true });
      const post = ["-H", "Content-Type: application/json", "-d", link];
      const made = await proxy.curl([`${SITE}/admin/v1/links`, ...post, ...bearer()]);
      expect(JSON.parse(made).data.target).toBe(target);
      const led = await proxy.curl([`${SITE}/${code}`, "-w", "%{http_code} %{redirect_url}"]);
      expect(led).toBe(`307 ${target.replaceAll("ü", "%C3%BC")}`);
    }
    const forwarding = { code: `query-${kind}`, target: base, forward_query: true };
    await client.call("POST", "/links", forwarding);
    // HTTP/2 compresses most others.
    const query = `?q=${"Z".repeat(8_189)}`;
    for (const version of ["--http1.1", "--http2"]) {
      const visit = [version, "-w", "%{http_code} %{redirect_url}"];
      const led = await proxy.curl([`${SITE}/query-${kind}${query}`, ...visit]);
      expect(led).toBe(`307 ${base}${query}`);
      const asked = await proxy.curl([`${SITE}/admin/v1/links/${code}${query}`, version, ...bearer()]);
      expect(JSON.parse(asked).data.code).toBe(code);
    }
  });

  test("lets Waymark take a limited download back when the client leaves", async () => {
    await leaveLimitedDownload(proxy);
  });

  test("tells the address of the client, whatever the client says", async () => {
    const login = ["-H", "Content-Type: application/json", "-d", JSON.stringify({ password: PASSWORD })];
    const forged = ["-H", "X-Forwarded-For: 203.0.113.9"];
    const head = await proxy.curl([`${SITE}/admin/v1/auth/login`, "-i", ...login, ...forged]);
    expect(head).toMatch(/^set-cookie: svc_access=.*; Secure/im);
    const { body } = await client.call("GET", "/account/sessions");
    expect(body.data[0].address).toBe("127.0.0.2");
  });

  test("streams an upload while it comes", async () => {
    const { readable, writable } = new TransformStream<Uint8Array>();
    const writer = writable.getWriter();
    const name = `streamed-${kind}`;
    const head = `--b\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n`;
    const type = "Content-Type: multipart/form-data; boundary=b";
    const answer = proxy.curl(
      [`${SITE}/files/upload`, "-X", "POST", "-T", "-", "-H", type, ...bearer()],
      readable,
    );
    await writer.write(Buffer.from(head));
    const before = largestFile();
    await writer.write(new Uint8Array(16 * MIB + before));
    await until(() => largestFile() > before);
    await writer.write(Buffer.from("the end\r\n--b--\r\n"));
    await writer.close();
    const { data } = JSON.parse(await answer);
    const part = await proxy.curl([
      `${SITE}/files/${data.id}/download`,
      "-r",
      `${data.size - 7}-`,
      ...bearer(),
    ]);
    expect(part).toBe("the end");
  });

  test("continues a resumable upload", async () => {
    const tus = [...bearer(), "-H", "Tus-Resumable: 1.0.0"];
    const metadata = `Upload-Metadata: filename ${btoa(`tus-${kind}.txt`)}`;
    const begun = await proxy.curl([
      "-iX",
      "POST",
      `${SITE}/files/tus`,
      ...tus,
      "-H",
      "Upload-Length: 10",
      "-H",
      metadata,
    ]);
    const place = new URL(/^location: (\S+)/im.exec(begun)![1]!, SITE).pathname;
    const patch = (offset: number, text: string) =>
      proxy.curl([
        "-iX",
        "PATCH",
        SITE + place,
        ...tus,
        "-H",
        "Content-Type: application/offset+octet-stream",
        "-H",
        `Upload-Offset: ${offset}`,
        "--data-binary",
        text,
      ]);
    expect(await patch(0, "01234")).toMatch(/^upload-offset: 5/im);
    expect(await proxy.curl(["-I", SITE + place, ...tus])).toMatch(/^upload-offset: 5/im);
    expect(await patch(5, "56789")).toMatch(/^upload-offset: 10/im);
  });

  test("passes WebDAV on, with its destinations", async () => {
    const made = await client.call("POST", "/tokens", { name: kind, scopes: ["files:read", "files:write"] });
    const drive = `${SITE}/admin/dav/files`;
    const dav = async (args: string[]) => {
      const auth = ["-u", `admin:${made.body.data.token}`];
      return Number((await proxy.curl([...auth, ...args, "-w", "\n%{http_code}"])).split("\n").at(-1));
    };
    const file = join(installation.dataDir, `${kind}.txt`);
    writeFileSync(file, "over WebDAV");
    expect(await dav([`${drive}/${kind}-a.txt`, "-T", file])).toBe(201);
    expect(
      await dav(["-X", "MOVE", `${drive}/${kind}-a.txt`, "-H", `Destination: ${drive}/${kind}-b.txt`]),
    ).toBe(201);
    expect(await dav(["-X", "PROPFIND", `${drive}/${kind}-b.txt`, "-H", "Depth: 0"])).toBe(207);
  });

  test("passes the live view on as it happens", async () => {
    const viewer = proxy.open(["-N", `${SITE}/admin/v1/analytics/live`, ...bearer()]);
    const decoder = new TextDecoder();
    let seen = "";
    for await (const chunk of viewer.stdout) {
      seen += decoder.decode(chunk, { stream: true });
      if (seen.includes('"code":"proxied"')) break;
      await proxy.curl([`${SITE}/proxied`]);
    }
    viewer.kill();
    expect(seen).toContain("event: clicks");
  });
});

/** @throws unless the download of a share with a limit is taken back */
async function leaveLimitedDownload(proxy: Proxy): Promise<void> {
  const drive = driveClient(server.url, client.token);
  const file = await drive.upload(`large-${crypto.randomUUID()}`, new Uint8Array(48 * MIB));
  const made = await drive.call("POST", `/files/${file.body.data.id}/share`, { max_downloads: 1 });
  const { code } = made.body.data;
  const downloads = async () => (await drive.call("GET", `/shares/${code}`)).body.data.downloads;
  // Slower than a proxy would read.
  const visitor = proxy.open(["-N", "--limit-rate", "1M", `${SITE}/${code}`]);
  const reader = visitor.stdout.getReader();
  for (let read = 0; read < MIB; ) read += (await reader.read()).value!.length;
  expect(await downloads()).toBe(1);
  visitor.kill();
  await until(async () => (await downloads()) === 0);
}

const NGINX = isInstalled("nginx");

test.skipIf(!NGINX)("nginx with its own buffering does not use up a limited download either", async () => {
  const buffering = (text: string) => text.replace("proxy_buffering off;", "");
  const proxy = await startProxy("nginx", new URL(server.url).host, buffering);
  await leaveLimitedDownload(proxy).finally(() => proxy.stop());
});

test.skipIf(!NGINX)(
  "below a path of nginx, as the docs have it, WebDAV and resumable uploads work",
  async () => {
    const docs = readFileSync(join(import.meta.dir, "../docs/proxies.md"), "utf8");
    const block = /```nginx\n(.*?)```/s.exec(docs)![1]!;
    const place = (text: string) => text.replace("    location / {", `${block}    location / {`);
    const proxy = await startProxy("nginx", new URL(server.url).host, place);
    try {
      const made = await client.call("POST", "/tokens", {
        name: "go",
        scopes: ["files:read", "files:write"],
      });
      const auth = ["-H", `Authorization: Bearer ${made.body.data.token}`];
      const tus = [...auth, "-H", "Tus-Resumable: 1.0.0", "-H", "Upload-Offset: 0"];
      const begin = [
        "-iX",
        "POST",
        "-H",
        "Upload-Length: 3",
        "-H",
        `Upload-Metadata: filename ${btoa("go.txt")}`,
      ];
      const begun = await proxy.curl([`${SITE}/go/files/tus`, ...tus, ...begin]);
      const begunAt = new URL(/^location: (\S+)/im.exec(begun)![1]!, SITE).href;
      const type = "Content-Type: application/offset+octet-stream";
      expect(await proxy.curl([begunAt, ...tus, "-iX", "PATCH", "-H", type, "--data-binary", "abc"])).toMatch(
        /^upload-offset: 3/im,
      );
      const drive = "/go/admin/dav/files/";
      const listed = await proxy.curl([SITE + drive, ...auth, "-X", "PROPFIND", "-H", "Depth: 1"]);
      const href = [...listed.matchAll(/<D:href>([^<]*)/g)]
        .map(([, one]) => one!)
        .find((one) => one.endsWith("/go.txt"))!;
      const move = ["-X", "MOVE", "-H", `Destination: ${SITE}${drive}went%20on.txt`, "-w", "%{http_code}"];
      expect(await proxy.curl([SITE + href, ...auth, ...move])).toBe("201");
      expect(await proxy.curl([`${SITE}${drive}went%20on.txt`, ...auth])).toBe("abc");
    } finally {
      await proxy.stop();
    }
  },
);
