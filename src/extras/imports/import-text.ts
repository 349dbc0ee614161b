/** What an import does or did, for a terminal. */
import { pluralize } from "../../lib/pluralize.ts";
import { quantityOfBytes } from "../../visitors/quantity-text.ts";
import type { ImportReport, MoveOptions } from "./move/state.ts";

const SHOWN = 20;

export function showReport(
  { line, note }: { line(text: string): void; note(text: string): void },
  { counts, reasons, domains }: ImportReport,
  { verb, options: { add_domains: isAdded } }: { verb: "would come in" | "came in"; options: MoveOptions },
): void {
  const told = [
    `${pluralize(counts.links_read, "link")} read: ${counts.links_imported} ${verb} (${counts.links_renamed} renamed, ${counts.links_disabled} disabled), ${counts.links_skipped} skipped, ${counts.links_refused} refused.`,
  ];
  if (counts.files_read > 0) {
    told.push(
      `${pluralize(counts.files_read, "file")} read: ${counts.files_imported} (${quantityOfBytes("en", counts.bytes_imported)}) ${verb}, ${counts.files_refused} refused.`,
    );
  }
  if (counts.visits_read > 0) {
    told.push(
      `${pluralize(counts.visits_read, "visit")} read: ${counts.visits_imported} ${verb}, ${counts.visits_refused} refused.`,
    );
  }
  if (counts.clicks_without_date > 0) told.push(`${counts.clicks_without_date} clicks have no date.`);
  line(told.join(" "));
  for (const { kind, reason, count } of reasons.slice(0, SHOWN)) note(`${kind}: ${reason} (${count})`);
  if (reasons.length > SHOWN) note(`and ${reasons.length - SHOWN} more reasons; --json lists them.`);
  const becomes = isAdded ? (verb === "came in" ? "was added" : "would be added") : "is missing here";
  for (const { host, links } of domains.slice(0, SHOWN))
    note(`domain ${host} ${becomes} (${pluralize(links, "link")})`);
  if (domains.length > 0 && !isAdded) note("--add-domains adds the domains that are missing.");
}
