import { expect } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { KeyPair } from "./certificate.ts";

/** A self-signed certificate, made by openssl. */
export function makeKeyPair(host = "localhost", days = 2): KeyPair {
  const folder = mkdtempSync(join(tmpdir(), "waymark-pair-"));
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const options = `-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days ${days} -subj /CN=${host}`;
  const names = ["-addext", `subjectAltName=DNS:${host}`];
  const command = ["openssl", "req", "-x509", ...options.split(" "), ...names, "-keyout", key, "-out", cert];
  try {
    expect(Bun.spawnSync(command).exitCode).toBe(0);
    return { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
