import type { ClickBatch } from "./journal.reader.ts";

/** Links in ascending order with their clicks; the order keeps two flushes from locking rows crosswise. */
export type LinkCounts = { links: number[]; clicks: number[] };

/** How often each link stands in the batch. Sorting a column beats a Map: no garbage, and the order is needed. */
export function countByLink(batch: ClickBatch): LinkCounts {
  const sorted = batch.links.slice(0, batch.count).sort();
  const links: number[] = [];
  const clicks: number[] = [];
  for (let at = 0; at < sorted.length; ) {
    const link = sorted[at]!;
    const first = at;
    while (at < sorted.length && sorted[at] === link) at += 1;
    links.push(link);
    clicks.push(at - first);
  }
  return { links, clicks };
}
