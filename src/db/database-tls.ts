import { readFileSync } from "node:fs";
import { appError } from "../lib/errors.ts";

export type Tls = {
  rejectUnauthorized: boolean;
  /** PEM content. */
  ca?: string;
};

/**
 * `sslmode` as in PostgreSQL's tools: `require` encrypts without checking the certificate, `verify-ca` and
 * `verify-full` check it. `ssl=true` is verify-full. `sslrootcert` names a PEM file.
 */
export function tlsOf(query: URLSearchParams): Tls | undefined {
  const mode =
    query.get("sslmode") ?? (/^(true|1)$/.test(query.get("ssl") ?? "") ? "verify-full" : "disable");
  const file = query.get("sslrootcert");
  switch (mode) {
    case "disable":
    case "allow":
    case "prefer":
      return undefined;
    case "require":
      return { rejectUnauthorized: false };
    case "verify-ca":
    case "verify-full":
      return { rejectUnauthorized: true, ...(file === null ? {} : { ca: readFileSync(file, "utf8") }) };
    default:
      throw appError(
        "BadRequest",
        `sslmode=${mode} is not known: disable, require, verify-ca or verify-full.`,
      );
  }
}
