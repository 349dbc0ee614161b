/** nginx, Caddy and HAProxy with the files in deploy/, before a running server. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { soon } from "./until.ts";

const DEPLOY = join(import.meta.dir, "../../deploy");
export const NAME = "go.example.com";

export type ProxyKind = "nginx" | "caddy" | "haproxy";
export type Proxy = {
  /** Starts curl over HTTP/2 with TLS, as a client at 127.0.0.2. */
  open(
    args: readonly string[],
    stdin?: ReadableStream,
  ): Subprocess<"ignore" | ReadableStream, "pipe", "pipe">;
  /** The same to its end. Returns what it prints. */
  curl(args: readonly string[], stdin?: ReadableStream): Promise<string>;
  stop(): Promise<void>;
};

const PROGRAMS = { nginx: "/usr/sbin/nginx", caddy: "/usr/bin/caddy", haproxy: "/usr/sbin/haproxy" };
const FILES = { nginx: "nginx.conf", caddy: "Caddyfile", haproxy: "haproxy.cfg" };
export const isInstalled = (kind: ProxyKind): boolean => existsSync(PROGRAMS[kind]);

export async function freePort(): Promise<number> {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { port } = server;
  await server.stop(true);
  return port!;
}

function certify(folder: string): { certificate: string; key: string } {
  const [certificate, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const made = Bun.spawnSync([
    "openssl",
    "req",
    "-x509",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:P-256",
    "-nodes",
    "-days",
    "2",
    "-subj",
    `/CN=${NAME}`,
    "-addext",
    `subjectAltName=DNS:${NAME}`,
    "-keyout",
    key,
    "-out",
    certificate,
  ]);
  if (made.exitCode !== 0) throw new Error(made.stderr.toString());
  return { certificate, key };
}

/** The file as it stands but for addresses, certificates and `change`. */
function configure(
  kind: ProxyKind,
  folder: string,
  { port, server, change }: { port: number; server: string; change: Change },
): string[] {
  const { certificate, key } = certify(folder);
  const file = join(folder, FILES[kind]);
  if (kind === "caddy") {
    const text = caddyfile()
      .replace(/^\{\n[^]*?^\}\n/m, "{\n\tadmin off\n\tauto_https disable_redirects\n}\n")
      .replace(
        /^https:\/\/ \{\n\ttls \{[^]*?^\t\}/m,
        `https://${NAME}:${port} {\n\ttls ${certificate} ${key}`,
      )
      .replace(/^https:.*$/m, "$&\n\tbind 127.0.0.1")
      .replace("127.0.0.1:8080", server);
    writeFileSync(file, change(text));
    return caddyCommand(file);
  }
  if (kind === "haproxy") {
    const both = join(folder, "both.pem");
    writeFileSync(both, readFileSync(certificate, "utf8") + readFileSync(key, "utf8"));
    const text = readFileSync(join(DEPLOY, "haproxy/haproxy.cfg"), "utf8")
      .replace("bind :443 ssl crt /etc/haproxy/certs/", `bind 127.0.0.1:${port} ssl crt ${both}`)
      .replace("bind :80", `bind 127.0.0.3:${port}`)
      .replace("127.0.0.1:8080", server);
    writeFileSync(file, change(text));
    return [PROGRAMS.haproxy, "-db", "-f", file];
  }
  const text = readFileSync(join(DEPLOY, "nginx/waymark.conf"), "utf8")
    .replace(/ +listen \[::\]:.*\n/g, "")
    .replace(/^( +listen) 443/m, `$1 127.0.0.1:${port}`)
    .replace(/^( +listen) 80/m, `$1 127.0.0.3:${port}`)
    .replace("127.0.0.1:8080", server)
    .replace(/ssl_certificate .*;/, `ssl_certificate ${certificate};`)
    .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${key};`);
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/t;`,
  );
  writeFileSync(
    file,
    `user root; daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/log; events {}
     http { access_log off; ${paths.join(" ")} ${change(text)} }`,
  );
  return [PROGRAMS.nginx, "-c", file];
}

export const caddyfile = (): string => readFileSync(join(DEPLOY, "caddy/Caddyfile"), "utf8");
export const caddyCommand = (file: string): string[] => [
  PROGRAMS.caddy,
  "run",
  "--adapter",
  "caddyfile",
  "--config",
  file,
];

type Change = (text: string) => string;

/** `server` is HOST:PORT. */
export async function startProxy(
  kind: ProxyKind,
  server: string,
  change: Change = (text) => text,
): Promise<Proxy> {
  const folder = mkdtempSync(join(tmpdir(), `waymark-${kind}-`));
  const port = await freePort();
  const command = configure(kind, folder, { port, server, change });
  const output = Bun.file(join(folder, "output"));
  const child: Subprocess = Bun.spawn(command, {
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder },
    stdio: ["ignore", output, output],
  });
  const proxy: Proxy = {
    open: (args, stdin) =>
      Bun.spawn(
        [
          "curl",
          "-sS",
          "--http2",
          "--cacert",
          join(folder, "cert.pem"),
          "--interface",
          "127.0.0.2",
          "--connect-to",
          `${NAME}:443:127.0.0.1:${port}`,
          ...args,
        ],
        { stdin: stdin ?? "ignore", stdout: "pipe", stderr: "pipe" },
      ),
    async curl(args, stdin) {
      const curl = proxy.open(args, stdin);
      const [printed, failure] = await Promise.all([
        new Response(curl.stdout).text(),
        new Response(curl.stderr).text(),
      ]);
      if ((await curl.exited) !== 0) throw new Error(failure);
      return printed;
    },
    async stop() {
      child.kill();
      await child.exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
  try {
    await soon(async () => {
      if (child.exitCode !== null) throw new Error(`${kind} ended: ${await output.text()}`);
      await proxy.curl([`https://${NAME}/`, "-o", "/dev/null"]);
    });
  } catch (error) {
    await proxy.stop();
    throw error;
  }
  return proxy;
}
