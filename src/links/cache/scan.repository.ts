import type { Database } from "../../platform/db/database.ts";
import { inOrderOf } from "../../platform/db/queries.ts";
import { pagesAfter } from "../../lib/pages.ts";
import { cacheable, type StoredLink } from "./cached-link.ts";

const PAGE = 1000;
/** Half of what Dialect.joinTexts takes. */
const CODES = 4000;
const STORED = ["links.id", "links.code", "links.target", "links.expires_at", "links.options"] as const;

type Row = Omit<StoredLink, "expiresAt"> & Parameters<typeof cacheable>[0];

/** A link made during the scan may be missing; none comes twice. */
export function createLinkScan({ read, dialect }: Database, enforcesPasswords: () => boolean = () => false) {
  const stored = () =>
    read
      .selectFrom("links")
      .select(STORED)
      .select((eb) => eb("password_hash", "is not", null).as("locked"));

  const storedLink = (row: Row): StoredLink => {
    const { id, code, target, expires_at: expiresAt } = cacheable(row, enforcesPasswords());
    return { id, code, target, expiresAt };
  };

  return {
    async *links(): AsyncGenerator<StoredLink[]> {
      const below = (before: number, limit: number) =>
        stored().where("id", "<", before).orderBy("id", "desc").limit(limit).execute();
      const pages = pagesAfter(Number.MAX_SAFE_INTEGER, PAGE, below, ({ id }) => id);
      for await (const page of pages) yield page.map(storedLink);
    },

    /** Codes of links with a smaller id, or of all: at most 4,000 a text, separated by blanks. */
    async *codes(beforeId: number | null): AsyncGenerator<string> {
      for (let before = beforeId ?? Number.MAX_SAFE_INTEGER; ; ) {
        const page = read
          .selectFrom("links")
          .select(["id", "code"])
          .where("id", "<", before)
          .orderBy("id", "desc")
          .limit(CODES);
        const { codes, first, count } = await read
          .selectFrom(page.as("page"))
          .select(({ fn }) => [
            dialect.joinTexts("code").as("codes"),
            fn.min("id").as("first"),
            fn.countAll().as("count"),
          ])
          .executeTakeFirstOrThrow();
        if (codes !== null) yield codes;
        if (Number(count) < CODES) return;
        before = Number(first);
      }
    },

    /** At most 4,000 per text, separated by blanks. */
    async *aliases(): AsyncGenerator<string> {
      const pages = inOrderOf(read.selectFrom("link_aliases").select("code"), "code", "", CODES);
      for await (const page of pages) yield page.map(({ code }) => code).join(" ");
    },

    /** At most 1,000 codes, also aliases. */
    async some(codes: readonly string[]): Promise<StoredLink[]> {
      const links = await stored().where("links.code", "in", codes).execute();
      const others = await stored()
        .innerJoin("link_aliases", "link_aliases.link_id", "links.id")
        .select("link_aliases.code as alias")
        .where("link_aliases.code", "in", codes)
        .execute();
      return [...links, ...others.map(({ alias, ...row }) => ({ ...row, code: alias }))].map(storedLink);
    },
  };
}
