/** Links on several domains, of several accounts, some with tags. */
import type { Database } from "../../src/platform/db/database.ts";
import { keyOf } from "../../src/links/link/key.ts";

const DOMAINS = 4;
const ACCOUNT = {
  password_hash: "",
  role: "editor",
  disabled: 0,
  quota_bytes: 0,
  created_at: 1,
  updated_at: 1,
};
const sequenceTo = (last: number): number[] => Array.from({ length: last }, (_, at) => at + 1);
const OWNERS = 50;
const TAGS = 200;

/** Half of the links are on the default domain. */
export const keyOfLink = (id: number): string =>
  keyOf(id % 2 === 0 ? 0 : 1 + ((id >> 1) % DOMAINS), `bench/${id}`);

/** 40 links in 100 have no tag, 30 have one and 30 two. */
const tagsOf = (id: number): number[] =>
  [id % 10 < 6 ? 1 + ((id * 7) % TAGS) : 0, id % 10 < 3 ? 1 + ((id * 7 + 3) % TAGS) : 0].filter(
    (tag) => tag > 0,
  );

export async function writeLinks(database: Database, count: number): Promise<void> {
  const made = { target: "https://example.com/", created_at: 1, updated_at: 1 };
  const ids = Array.from({ length: count }, (_, at) => at + 1);
  const { insertMany } = database.dialect;
  const tagged = ids.flatMap((link_id) => tagsOf(link_id).map((tag_id) => ({ tag_id, link_id })));
  await database.transaction(
    async (tx) => {
      await insertMany(
        tx,
        "domains",
        sequenceTo(DOMAINS).map((id) => ({ id, host: `d${id}.example`, created_at: 1, updated_at: 1 })),
      );
      await insertMany(
        tx,
        "users",
        sequenceTo(OWNERS).map((id) => ({ id, username: `user${id}`, ...ACCOUNT })),
      );
      await insertMany(
        tx,
        "tags",
        sequenceTo(TAGS).map((id) => ({
          id,
          tag: `tag ${id}`,
          links: tagged.filter(({ tag_id }) => tag_id === id).length,
        })),
      );
      await insertMany(
        tx,
        "links",
        ids.map((id) => ({ ...made, id, code: keyOfLink(id), owner_id: 1 + (id % OWNERS) })),
      );
      await insertMany(
        tx,
        "link_clicks",
        ids.map((link_id) => ({ link_id, clicks: 0, ranked: 0 })),
      );
      await insertMany(tx, "link_tags", tagged);
      await insertMany(tx, "link_totals", [{ links: count, clicks: 0, automated: 0 }]);
    },
    { long: true },
  );
}
