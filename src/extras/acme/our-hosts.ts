/** The hosts whose certificates we order: that of features.public_url first, then the domains. */
import { isIP } from "node:net";
import type { CertificateState } from "../../lib/certificate.ts";

type Deps = {
  /** An origin, or empty. */
  publicUrl(): string;
  domains(): readonly string[];
  isDomain(host: string): boolean;
  /** Of `server.port`. */
  port: number;
};

const HTTPS_PORT = 443;

const isOrderable = (host: string): boolean => host.includes(".") && isIP(host) === 0;

export function createOurHosts({ publicUrl, domains, isDomain, port }: Deps) {
  /** Those for which an authority may issue: names with a dot. */
  const list = (): string[] => [...new Set([own(), ...domains()])].filter(isOrderable);
  const own = (): string => URL.parse(publicUrl())?.hostname ?? "";
  return {
    list,
    isOurs: (host: string): boolean => isOrderable(host) && (isDomain(host) || host === own()),
    /** Where browsers find HTTPS: with a colon, empty for 443. */
    httpsPort(): string {
      const shown = URL.parse(publicUrl());
      const seen = shown?.protocol === "https:" ? Number(shown.port || HTTPS_PORT) : port;
      return seen === HTTPS_PORT ? "" : `:${seen}`;
    },
    /** What is wrong while there is no host at all. */
    states: (): CertificateState[] =>
      list().length > 0
        ? []
        : [
            {
              setting: "server.acme",
              path: "server.acme",
              kind: "chain",
              notAfter: null,
              trouble: {
                level: "warning",
                message:
                  "No certificate is ordered, because no host is known. Set features.public_url to https:// and the name of this server.",
              },
            },
          ],
  };
}
