import { readAuthorities } from "../../lib/certificate.ts";
import { appError } from "../../lib/errors.ts";

export type Tls = {
  rejectUnauthorized: boolean;
  /** PEM content. */
  ca?: string;
};

const modeOf = (query: URLSearchParams): string =>
  query.get("sslmode") ?? (/^(true|1)$/.test(query.get("ssl") ?? "") ? "verify-full" : "disable");

/** The file with authorities that connections of this URL check; null if there is none. */
export function authoritiesFile(url: string): string | null {
  const query = new URLSearchParams(url.startsWith("sqlite:") ? "" : url.slice(url.indexOf("?") + 1));
  return modeOf(query).startsWith("verify-") ? query.get("sslrootcert") : null;
}

/**
 * `sslmode` as in PostgreSQL's tools: `require` encrypts without checking the certificate, `verify-ca` and
 * `verify-full` check it. `ssl=true` is verify-full. `sslrootcert` names a PEM file.
 */
export function tlsOf(query: URLSearchParams): Tls | undefined {
  const mode = modeOf(query);
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
      return {
        rejectUnauthorized: true,
        ...(file === null ? {} : { ca: readAuthorities(file, "sslrootcert") }),
      };
    default:
      throw appError(
        "BadRequest",
        `sslmode=${mode} is not known: disable, require, verify-ca or verify-full.`,
      );
  }
}
