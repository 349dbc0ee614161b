/** The job that adds up past days of the links of reports, so that their pages show at once. */
import type { Job } from "../platform/jobs/runner.ts";
import type { Logger } from "../lib/logger.ts";
import type { MakeFigures } from "./figures.ts";
import type { ReportsRepository } from "./reports.repository.ts";

type Deps = {
  repository: Pick<ReportsRepository, "after" | "visited">;
  figures: Pick<MakeFigures, "keep">;
  forgetDays(): Promise<void>;
  logger: Pick<Logger, "warn">;
};

const EVERY_MS = 5 * 60_000;
const AT_ONCE = 100;

export const createDaysJob = ({ repository, figures, forgetDays, logger }: Deps): Job => ({
  name: "report-days",
  everyMs: () => EVERY_MS,
  async run(signal) {
    for (let last = 0; ; ) {
      const ids = await repository.after(last, AT_ONCE);
      for (const id of ids) {
        const report = await repository.visited(id);
        if (signal.aborted) return;
        try {
          if (report !== null) await figures.keep(report, signal);
        } catch (err) {
          // One report keeps no others from theirs.
          logger.warn({ err, link: id }, "the past days of a report could not be added up");
        }
      }
      if (ids.length < AT_ONCE) break;
      last = ids.at(-1)!;
    }
    await forgetDays();
  },
});
