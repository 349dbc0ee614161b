/** The job that adds up past days of the links of reports, so that their pages show at once. */
import type { Job } from "../platform/jobs/runner.ts";
import type { MakeFigures } from "./figures.ts";
import type { ReportsRepository } from "./reports.repository.ts";

type Deps = {
  repository: Pick<ReportsRepository, "after" | "visited">;
  figures: Pick<MakeFigures, "keep">;
  forgetDays(): Promise<void>;
};

const EVERY_MS = 5 * 60_000;
const AT_ONCE = 100;

export const createDaysJob = ({ repository, figures, forgetDays }: Deps): Job => ({
  name: "report-days",
  everyMs: () => EVERY_MS,
  async run(signal) {
    for (let last = 0; ; ) {
      const ids = await repository.after(last, AT_ONCE);
      for (const id of ids) {
        const report = await repository.visited(id);
        if (signal.aborted) return;
        if (report !== null) await figures.keep(report, signal);
      }
      if (ids.length < AT_ONCE) break;
      last = ids.at(-1)!;
    }
    await forgetDays();
  },
});
