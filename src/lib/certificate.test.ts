/** Files with certificates as people give them: what is wrong is named by file, with what to do. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { registerCertificateMetrics } from "../platform/health/http-metrics.ts";
import {
  type CertificateFile,
  readAuthorities,
  readCertificateState,
  readServerPair,
  watchCertificates,
} from "./certificate.ts";
import { createRegistry, renderMetrics } from "./metrics.ts";

const DAY_MS = 86_400_000;
/** An account without rights. */
const NOBODY = 65_534;
let folder: string;
const at = (name: string): string => join(folder, name);
const openssl = (command: string) => {
  const { exitCode, stderr } = Bun.spawnSync(["openssl", ...command.split(" ")], { cwd: folder });
  if (exitCode !== 0) throw new Error(`openssl ${command}: ${stderr.toString()}`);
};
const concat = (name: string, ...parts: string[]) =>
  writeFileSync(at(name), parts.map((part) => readFileSync(at(part), "utf8")).join(""));
const chain = (name: string): CertificateFile => ({
  setting: "server.tls_cert",
  path: at(name),
  kind: "chain",
});

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "waymark-certificates-"));
  openssl("req -x509 -newkey rsa:2048 -nodes -days 400 -subj /CN=root -keyout root.key -out root.pem");
  openssl("req -newkey rsa:2048 -nodes -subj /CN=leaf -keyout leaf.key -out leaf.csr");
  openssl("x509 -req -in leaf.csr -CA root.pem -CAkey root.key -CAcreateserial -days 90 -out leaf.pem");
  openssl("pkey -in leaf.key -aes256 -passout pass:x -out encrypted.key");
  openssl("rsa -in leaf.key -traditional -aes128 -passout pass:x -out encrypted-old.key");
  openssl("x509 -in leaf.pem -outform DER -out leaf.der");
  openssl("ecparam -genkey -name prime256v1 -out other.key");
  concat("chain.pem", "leaf.pem", "root.pem");
  concat("wrong.pem", "root.pem", "leaf.pem");
  openssl(
    "req -x509 -newkey rsa:2048 -nodes -days 5 -subj /CN=stranger -keyout stranger.key -out stranger.pem",
  );
  concat("mixed.pem", "leaf.pem", "stranger.pem");
  writeFileSync(at("damaged.pem"), "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
  writeFileSync(at("damaged.key"), "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n");
  writeFileSync(at("empty"), "");
});
afterAll(() => rmSync(folder, { recursive: true }));

test("a key and a certificate that belong together are read, with its chain too", () => {
  expect(readServerPair(at("chain.pem"), at("leaf.key")).cert).toBe(readFileSync(at("chain.pem"), "utf8"));
  expect(readServerPair(at("leaf.pem"), at("leaf.key")).key).toBe(readFileSync(at("leaf.key"), "utf8"));
});

test.each([
  ["gone.pem", "leaf.key", "gone.pem does not exist. server.tls_cert"],
  ["leaf.pem", "gone.key", "gone.key does not exist. server.tls_key"],
  ["leaf.key", "leaf.pem", "leaf.key has a private key and no certificate. server.tls_cert"],
  ["leaf.pem", "leaf.pem", "leaf.pem has a certificate and no private key. server.tls_key"],
  ["leaf.der", "leaf.key", "leaf.der has no certificate in PEM form. Convert it"],
  ["empty", "leaf.key", "empty has no certificate"],
  ["leaf.pem", "empty", "empty has no private key"],
  ["damaged.pem", "leaf.key", "damaged.pem has a damaged certificate"],
  ["leaf.pem", "damaged.key", "damaged.key has a damaged private key"],
  [
    "leaf.pem",
    "encrypted.key",
    "encrypted.key is encrypted, and no one can enter its passphrase at start-up. Decrypt it",
  ],
  ["leaf.pem", "encrypted-old.key", "encrypted-old.key is encrypted"],
  ["leaf.pem", "root.key", "root.key is not the key of the certificate in"],
  ["leaf.pem", "other.key", "other.key is not the key of the certificate in"],
  ["wrong.pem", "leaf.key", "wrong.pem has its certificates in the wrong order: the one of"],
])("%s with %s: %s", (cert, key, sentence) => {
  expect(() => readServerPair(at(cert), at(key))).toThrow(sentence);
});

test("a file that the account may not read is named", () => {
  writeFileSync(at("secret.key"), "");
  chmodSync(at("secret.key"), 0o000);
  const isRoot = process.getuid?.() === 0;
  // Root reads everything.
  if (isRoot) process.seteuid!(NOBODY);
  try {
    expect(() => readServerPair(at("leaf.pem"), at("secret.key"))).toThrow(/can't be read by this account/);
  } finally {
    if (isRoot) process.seteuid!(0);
  }
});

test.each([
  [0, null, ""],
  [59, null, ""],
  [61, "warning", "expires on"],
  [89, "warning", "expires on"],
  [91, "error", "expired on"],
  [-2, "error", "is not valid before"],
] as const)("after %p days of 90: %p", (days, level, sentence) => {
  const { trouble, notAfter } = readCertificateState(chain("chain.pem"), Date.now() + days * DAY_MS);
  expect([trouble?.level ?? null, trouble?.message ?? ""]).toEqual([
    level,
    expect.stringContaining(sentence),
  ]);
  expect(Math.round((notAfter! - Date.now()) / DAY_MS)).toBe(90);
});

test("a certificate that lives for days is told when a third is left", () => {
  const stateAfter = (days: number) =>
    readCertificateState(chain("stranger.pem"), Date.now() + days * DAY_MS);
  expect(stateAfter(3).trouble).toBeNull();
  expect(stateAfter(4).trouble?.level).toBe("warning");
});

test("a chain in the wrong order is told, and what can't be read never throws", () => {
  expect(readCertificateState(chain("mixed.pem"), Date.now()).trouble?.message).toContain(
    "number 2 did not issue number 1",
  );
  for (const name of ["gone.pem", "damaged.pem", "empty", "leaf.key"]) {
    const { trouble, notAfter } = readCertificateState(chain(name), Date.now());
    expect([name, trouble?.level, trouble?.message.includes(at(name)), notAfter]).toEqual([
      name,
      "error",
      true,
      null,
    ]);
  }
});

test("of authorities, one that is valid is enough", () => {
  const file = { setting: "database.url (sslrootcert)", path: at("mixed.pem"), kind: "authorities" } as const;
  const after = (days: number) => readCertificateState(file, Date.now() + days * DAY_MS).trouble?.level;
  expect([after(10), after(70), after(100)]).toEqual([undefined, "warning", "error"]);
  expect(readAuthorities(at("root.pem"), "sslrootcert")).toContain("BEGIN CERTIFICATE");
  expect(() => readAuthorities(at("empty"), "sslrootcert")).toThrow("has no certificate");
});

test("a renewed file is in use after a reload, and until then the metric has the former one", async () => {
  concat("served.pem", "stranger.pem");
  const { states, serverReloaded } = watchCertificates([chain("served.pem")], Date.now);
  const [before] = states();
  const registry = createRegistry();
  registerCertificateMetrics(registry, states);
  concat("served.pem", "chain.pem");
  const [after] = states();
  expect(after).toMatchObject({ notAfter: before!.notAfter, trouble: { level: "warning" } });
  expect(after!.trouble!.message).toContain("send SIGHUP.");
  expect(renderMetrics(await registry.snapshot())).toContain(
    `svc_certificate_expiry_timestamp_seconds{setting="server.tls_cert"} ${before!.notAfter! / 1000}`,
  );
  expect(renderMetrics(await registry.snapshot())).toContain(
    'svc_certificate_trouble{setting="server.tls_cert"} 1\n',
  );
  serverReloaded();
  expect(states()[0]).toMatchObject({ trouble: null });
  expect(states()[0]!.notAfter).toBeGreaterThan(before!.notAfter!);
});
