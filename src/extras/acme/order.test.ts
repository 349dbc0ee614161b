/** What is computed from keys and certificates, compared with openssl and the RFC. */
import { createPrivateKey } from "node:crypto";
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeKeyPair } from "../../lib/key-pair.test-support.ts";
import { newKey, renewalId } from "./order.ts";
import { signingRequest } from "./signing-request.ts";

const folder = mkdtempSync(join(tmpdir(), "waymark-acme-"));
afterAll(() => rmSync(folder, { recursive: true }));

function openssl(...args: string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(["openssl", ...args], { cwd: folder });
  if (exitCode !== 0) throw new Error(stderr.toString());
  return stdout.toString() + stderr.toString();
}

test.each(["go.example.com", `${"long-label.".repeat(22)}test`])(
  "openssl reads the request for %s",
  (host) => {
    writeFileSync(join(folder, "request.der"), signingRequest(host, createPrivateKey(newKey())));
    const text = openssl("req", "-inform", "DER", "-in", "request.der", "-noout", "-text", "-verify");
    expect(text).toContain(`DNS:${host}\n`);
    expect(text).toMatch(/verify OK/i);
    expect(text).toContain("ecdsa-with-SHA256");
  },
);

test("a certificate has the name of RFC 9773, section 4.1", () => {
  const keyId = "69885B6B87464041E1B37B847BA0AE2CDE01C8D4";
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  const identifier = ["-addext", `subjectKeyIdentifier=${keyId.match(/../g)!.join(":")}`];
  openssl("req", "-x509", ...curve, "-subj", "/CN=ca", ...identifier, "-keyout", "ca.key", "-out", "ca.pem");
  openssl("req", ...curve, "-subj", "/CN=leaf", "-keyout", "leaf.key", "-out", "leaf.csr");
  writeFileSync(join(folder, "extensions"), "authorityKeyIdentifier=keyid\n");
  const authority = ["-CA", "ca.pem", "-CAkey", "ca.key", "-set_serial", "0x87654321"];
  openssl("x509", "-req", "-in", "leaf.csr", ...authority, "-extfile", "extensions", "-out", "leaf.pem");
  expect(renewalId(readFileSync(join(folder, "leaf.pem"), "utf8"))).toBe(
    "aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE",
  );
});

test("a certificate without the key of its authority has no such name", () => {
  const { cert } = makeKeyPair("alone.test");
  expect(renewalId(cert)).toSatisfy((id) => id === null || /^[\w-]+\.[\w-]+$/.test(String(id)));
});
