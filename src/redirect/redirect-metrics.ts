import type { Reading, Registry } from "../lib/metrics.ts";
import type { Redirect } from "./redirect.ts";

export function registerRedirectMetrics(registry: Registry, { counts }: Pick<Redirect, "counts">): void {
  registry.observe(
    "counter",
    { name: "svc_redirects_total", help: "Responses of the redirect.", labels: ["status"] },
    () => {
      const { found, missing, failed, away } = counts();
      return [
        ...Object.entries(found).map(([status, count]): Reading => [[status], count]),
        [["404"], missing],
        [["500"], failed],
        [["503"], away],
      ];
    },
  );
}
