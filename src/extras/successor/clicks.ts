/** What a successor counted, as a file for `waymark import successor`. */
import { csvLine } from "../../lib/csv.ts";
import { appError } from "../../lib/errors.ts";
import { formatRfc3339 } from "../../lib/rfc3339.ts";
import type { Database } from "../../platform/db/database.ts";
import { countAllClicks, countedHours } from "./successor.repository.ts";

const HOUR_MS = 3_600_000;

/** Two headers, then the sums of hours. @throws Conflict if they are not all clicks */
export async function* clickLines(
  database: Pick<Database, "read">,
  id: string,
): AsyncGenerator<string, void> {
  const total = await countAllClicks(database);
  yield csvLine(["waymark successor clicks 1", id, String(total)]);
  yield csvLine(["code", "domain", "hour", "clicks", "automated"]);
  let told = 0;
  for await (const rows of countedHours(database)) {
    let lines = "";
    for (const { code, host, hour, clicks, automated } of rows) {
      told += clicks;
      lines += csvLine([code, host ?? "", formatRfc3339(hour * HOUR_MS), String(clicks), String(automated)]);
    }
    yield lines;
  }
  if (told !== total)
    throw appError("Conflict", `The hours have ${told} of ${total} clicks; is a server counting?`);
}
