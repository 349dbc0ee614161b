/** Debian's pebble, a certificate authority for tests, with the name server of its package. Each test has its own. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { freePort } from "./proxies.ts";
import { until } from "./until.ts";

/** Path of the program; `scripts/services env` has it. */
export const PEBBLE = process.env["WAYMARK_TEST_PEBBLE"];

export type Pebble = Awaited<ReturnType<typeof startPebble>>;

/** Its names lead to 127.0.0.1, where it looks for proofs at `httpPort`, and by TLS at `tlsPort`. */
export async function startPebble(httpPort: number, tlsPort?: number) {
  const folder = mkdtempSync(join(tmpdir(), "waymark-pebble-"));
  const at = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => {
    const { exitCode, stderr } = Bun.spawnSync(["openssl", ...args], { cwd: folder });
    if (exitCode !== 0) throw new Error(stderr.toString());
  };
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "9"];
  const authority = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "9"];
  openssl("req", "-x509", ...curve, "-subj", "/CN=pebble-ca", "-keyout", "ca.key", "-out", "ca.pem");
  openssl("req", ...curve, "-subj", "/CN=localhost", "-keyout", "own.key", "-out", "own.csr");
  writeFileSync(at("names"), "subjectAltName=DNS:localhost,IP:127.0.0.1\n");
  openssl("x509", "-req", "-in", "own.csr", ...authority, "-extfile", "names", "-out", "own.pem");
  const [port, management, unusedPort, dns, names] = await Promise.all(Array.from({ length: 5 }, freePort));
  const pebble = {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${management}`,
    certificate: at("own.pem"),
    privateKey: at("own.key"),
    httpPort,
    tlsPort: tlsPort ?? unusedPort,
    certificateValidityPeriod: 90 * 86_400,
  };
  writeFileSync(at("pebble.json"), JSON.stringify({ pebble }));
  const directory = `https://localhost:${port}/dir`;
  const ca = await Bun.file(at("ca.pem")).text();
  const unused = ["-http01", "", "-https01", "", "-tlsalpn01", "", "-defaultIPv6", ""];
  const nameServer = Bun.spawn(
    [join(dirname(PEBBLE!), "pebble-challtestsrv"), ...unused].concat(
      ["-dns01", `127.0.0.1:${dns}`, "-management", `127.0.0.1:${names}`],
      ["-defaultIPv4", "127.0.0.1"],
    ),
    { stdout: "ignore", stderr: "ignore" },
  );
  let log = "";
  let running = start();

  function start() {
    const child = Bun.spawn([PEBBLE!, "-config", at("pebble.json"), "-dnsserver", `127.0.0.1:${dns}`], {
      env: { PEBBLE_VA_NOSLEEP: "1", PEBBLE_WFE_NONCEREJECT: "10", PEBBLE_AUTHZREUSE: "0" },
      stdout: "pipe",
      stderr: "ignore",
    });
    void (async () => {
      for await (const chunk of child.stdout) log += Buffer.from(chunk).toString();
    })();
    return child;
  }
  const ask = (url: string) => fetch(url, { tls: { ca } });
  const isUp = (url: string) =>
    ask(url).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(() => isUp(directory));

  return {
    directory,
    /** Of its own HTTPS. */
    ca,
    /** Its path, for NODE_EXTRA_CA_CERTS. */
    caFile: at("ca.pem"),
    /** PEM of what its certificates end at. Another one after each start. */
    root: async (): Promise<string> =>
      (await fetch(`https://127.0.0.1:${management}/roots/0`, { tls: { rejectUnauthorized: false } })).text(),
    issued: (): number => log.split("Issued certificate serial").length - 1,
    log: (): string => log,
    /** The name leads to this address from now on. */
    async lead(host: string, address: string): Promise<void> {
      const body = JSON.stringify({ host: `${host}.`, addresses: [address] });
      for (const step of ["clear-a", "add-a"])
        await fetch(`http://127.0.0.1:${names}/${step}`, { method: "POST", body });
    },
    /** Ends the authority, which forgets everything. */
    async stop(): Promise<void> {
      running.kill("SIGKILL");
      await running.exited;
    },
    async startAgain(): Promise<void> {
      running = start();
      await until(() => isUp(directory));
    },
    async remove(): Promise<void> {
      running.kill("SIGKILL");
      nameServer.kill("SIGKILL");
      await Promise.all([running.exited, nameServer.exited]);
      rmSync(folder, { recursive: true });
    },
  };
}
