/** Links of an API that lists them in pages. */
import { z } from "zod";
import { appError } from "../../../lib/errors.ts";
import { createJsonApi, type JsonApi } from "./json-api.ts";
import type { Reader, Source, SourceInput, SourceLink } from "./reader.ts";

export const listedText = z.string().max(32 * 1024);

const MOST_PAGES = 1_000_000;
/** One after another: a key-value store counts keys that have expired. */
const MOST_EMPTY = 1_000;

type Listing<T> = Pick<Reader, "title" | "notImported"> & {
  /** Which key it asks for, as a sentence. */
  key: string;
  /** `after`: `next` of the page before. Undefined if the response is not one of the product. */
  page(api: JsonApi, after: string | null): Promise<{ records: unknown[]; next: string | null } | undefined>;
  record: z.ZodType<T>;
  /** The cells of its links. Adds sentences about what is not imported. */
  links(record: T, lost: string[]): SourceLink["cells"][];
};

export const listedReader = <T>(listing: Listing<T>): Reader => ({
  title: listing.title,
  takes: ["address"],
  schemes: ["https", "http"],
  needsKey: true,
  notImported: listing.notImported,
  open: (input) => listedLinks(input, listing),
});

/** @throws BadRequest that explains what to do */
async function listedLinks<T>(input: SourceInput, listing: Listing<T>): Promise<Source> {
  const { key } = input;
  if (!key) throw appError("BadRequest", listing.key);
  const api = createJsonApi(input, { Authorization: `Bearer ${key}` });
  const pageAfter = async (after: string | null) => {
    const page = await listing.page(api, after);
    if (page !== undefined) return page;
    throw appError("BadRequest", `The address does not answer as expected. ${listing.key}`);
  };
  await pageAfter(null);
  return {
    async *links(after) {
      let position = 0;
      let next: string | null = null;
      let empty = 0;
      for (let pages = 0; pages < MOST_PAGES; pages++) {
        const page = await pageAfter(next);
        empty = page.records.length === 0 ? empty + 1 : 0;
        for (const record of page.records) {
          const found = listing.record.safeParse(record).data;
          const lost: string[] = [];
          const links =
            found && listing.links(found, lost).map((cells) => ({ cells, ...(lost.length > 0 && { lost }) }));
          const made = links ?? [{ code: "", problem: "The record is not as the API describes it." }];
          for (const one of made) if (++position > after) yield { ...one, position };
        }
        if (page.next === null) return;
        if (page.next === next || empty === MOST_EMPTY)
          throw appError("BadRequest", "The list of links has no end.");
        next = page.next;
      }
    },
  };
}
