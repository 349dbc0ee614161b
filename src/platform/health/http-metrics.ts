/**
 * Reading the clock costs about 1 % of a redirect, so within one turn of the event loop the end of a request is the
 * start of the next. The time includes the server's work between the two.
 */
import type { CertificateState } from "../../lib/certificate.ts";
import type { Counter, Histogram, Registry } from "../../lib/metrics.ts";

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
  registry.observe(
    "gauge",
    {
      name: "svc_certificate_trouble",
      help: "What 'waymark doctor' says of a certificate. 0: nothing. 1: it needs attention. 2: clients refuse it, or there is none.",
      labels: ["setting"],
      together: "largest",
    },
    () => certificates().map(({ setting, trouble }) => [[setting], levelOf(trouble)] as const),
  );
}

const levelOf = (trouble: CertificateState["trouble"]): number =>
  trouble === null ? 0 : trouble.level === "warning" ? 1 : 2;

export type EndpointClass = "admin" | "health" | "frontend" | "redirect";

/** Seconds, from a cached link to a large export. */
const BOUNDS = [0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10];
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
const LABELS = ["method", "endpoint", "status"];

type Series = { count: Counter; time: Histogram };

export type HttpMetrics = ReturnType<typeof createHttpMetrics>;

export function createHttpMetrics(registry: Registry) {
  const counts = registry.counter({
    name: "svc_http_requests_total",
    help: "Completed requests.",
    labels: LABELS,
  });
  const times = registry.histogram({
    name: "svc_http_request_duration_seconds",
    help: "Time from the arrival of a request to the head of its response.",
    labels: LABELS,
    bounds: BOUNDS,
  });
  let server = { pendingRequests: 0 };
  registry.observe("gauge", { name: "svc_http_active_connections", help: "Requests in progress." }, () => [
    [[], server.pendingRequests],
  ]);
  let lastEnd = 0;
  let isSameTurn = false;
  const endTurn = () => (isSameTurn = false);

  function begin(): number {
    if (isSameTurn) return lastEnd;
    isSameTurn = true;
    setImmediate(endTurn);
    return performance.now();
  }

  return {
    /** The source of `svc_http_active_connections`. */
    watch: (next: { pendingRequests: number }): void => void (server = next),
    timer(endpoint: EndpointClass) {
      const known = new Map<string, Map<number, Series>>();

      function create(method: string, status: number): Series {
        const labels = [METHODS.has(method) ? method : "OTHER", endpoint, String(status)] as const;
        const series = { count: counts.series(...labels), time: times.series(...labels) };
        const byStatus = known.get(method) ?? new Map<number, Series>();
        // Only known methods are kept: a client may send any.
        if (METHODS.has(method)) known.set(method, byStatus.set(status, series));
        return series;
      }

      function count(begun: number, method: string, status: number): void {
        lastEnd = performance.now();
        const series = known.get(method)?.get(status) ?? create(method, status);
        series.count.add();
        series.time.observe((lastEnd - begun) / 1000);
      }

      return {
        begin,
        /** Counts the response when it resolves. */
        end(begun: number, method: string, responding: Response | Promise<Response>) {
          if (!(responding instanceof Promise)) {
            count(begun, method, responding.status);
            return responding;
          }
          return responding.then((response) => {
            count(begun, method, response.status);
            return response;
          });
        },
      };
    },
  };
}
