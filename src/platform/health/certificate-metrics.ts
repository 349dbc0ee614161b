import type { CertificateState } from "../../lib/certificate.ts";
import type { Registry } from "../../lib/metrics.ts";

export function registerCertificateMetrics(registry: Registry, certificates: () => CertificateState[]): void {
  registry.observe(
    "gauge",
    {
      name: "svc_certificate_expiry_timestamp_seconds",
      help: "Unix time at which a certificate that this server uses expires; none if its file can't be read.",
      labels: ["setting"],
      together: "largest",
    },
    () =>
      certificates().flatMap(({ setting, notAfter }) =>
        notAfter === null ? [] : [[[setting], notAfter / 1000] as const],
      ),
  );
}
