/** The proxies of deploy/ before a real server, over HTTP/2 with TLS. Without nginx or Caddy it says so. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isInstalled, NAME, type Proxy, type ProxyKind, startProxy } from "./support/proxies.ts";
import { type Client, PASSWORD, startSignedIn } from "./support/session.ts";
import { until } from "./support/until.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

const SITE = `https://${NAME}`;
const MIB = 1024 * 1024;
const KINDS: ProxyKind[] = ["nginx", "caddy"];

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
