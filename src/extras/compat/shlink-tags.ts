/** Tags of Shlink. */
import { part } from "./call.ts";
import type { ShlinkRequest } from "./shlink-request.ts";
import { listIn, shlinkPage, pageSizeIn, summaryOf } from "./shlink-links.ts";
import { invalid, reply, problem, refused, type ShlinkReply } from "./shlink-problems.ts";

type TagCount = { tag: string; links: number };
type CountedTag = { value: string; clicks: number; human: number };

const MOST_TAGS = 10_000;
const MOST_COUNTED = 1_000;
/** Tags of a page that are counted one by one, as the report of all tags has no room for them. */
const MOST_ALONE = 100;

/** The tags that a request wants, or a refusal. */
async function tagsFor({ call, query }: ShlinkRequest) {
  const listed = await call("GET", "/tags");
  if (listed.status !== 200)
    return { refusal: refused(listed), tags: [], page: { page: 1, size: 1, total: 0 } };
  const text = (query.get("searchTerm") ?? "").toLowerCase();
  const all = (listed.body.data as TagCount[]).filter(({ tag }) => tag.toLowerCase().includes(text));
  const sorted = all.toSorted((a, b) => (a.tag < b.tag ? -1 : 1));
  const size = pageSizeIn(query, MOST_TAGS, MOST_TAGS);
  const page = Math.max(1, Math.trunc(Number(query.get("page") ?? 1)) || 1);
  const shown = sorted.slice((page - 1) * size, page * size);
  return { refusal: null, tags: shown, page: { page, size, total: sorted.length } };
}

export async function tagsList(request: ShlinkRequest): Promise<ShlinkReply> {
  const { refusal, tags, page } = await tagsFor(request);
  return (
    refusal ??
    reply({
      tags: shlinkPage(
        tags.map(({ tag }) => tag),
        page,
      ),
    })
  );
}

export async function tagStats(request: ShlinkRequest): Promise<ShlinkReply> {
  const { refusal, tags, page } = await tagsFor(request);
  if (refusal !== null) return refusal;
  const range = { start_date: "1970-01-01", end_date: "9999-12-31" };
  const query = { ...range, by: "tag", limit: MOST_COUNTED };
  const count = (tag?: string) => request.call("GET", "/analytics/report", { query: { ...query, tag } });
  const counted = await count();
  if (counted.status !== 200) return refused(counted);
  const rows = counted.body.data as CountedTag[];
  const byTag = new Map(rows.map((row) => [row.value, row]));
  const missing = rows.length < MOST_COUNTED ? [] : tags.filter(({ tag }) => !byTag.has(tag));
  for (const { tag } of missing.slice(0, MOST_ALONE)) {
    const alone = await count(tag);
    if (alone.status !== 200) return refused(alone);
    const found = (alone.body.data as CountedTag[]).find(({ value }) => value === tag);
    if (found !== undefined) byTag.set(tag, found);
  }
  const stats = tags.map(({ tag, links }) => ({
    tag,
    shortUrlsCount: links,
    visitsSummary: summaryOf(byTag.get(tag)?.clicks ?? 0, byTag.get(tag)?.human ?? 0),
  }));
  return reply({ tags: shlinkPage(stats, page) });
}

export async function renameTag({ call, body }: ShlinkRequest): Promise<ShlinkReply> {
  const { oldName, newName } = body;
  if (typeof oldName !== "string" || typeof newName !== "string")
    return invalid("Send oldName and newName.", "oldName", "newName");
  const listed = await call("GET", "/tags");
  if (listed.status !== 200) return refused(listed);
  const tags = (listed.body.data as TagCount[]).map(({ tag }) => tag);
  if (!tags.includes(oldName))
    return problem(404, "tag-not-found", "Tag not found", `There is no tag ${oldName}.`, { tag: oldName });
  if (oldName !== newName && tags.includes(newName)) {
    return problem(409, "tag-conflict", "Tag conflict", `There is a tag ${newName} already.`, {
      oldName,
      newName,
    });
  }
  const renamed = await call("PATCH", `/tags/${part(oldName)}`, { body: { tag: newName } });
  return renamed.status === 200 ? {} : refused(renamed);
}

export async function removeTags({ call, query }: ShlinkRequest): Promise<ShlinkReply> {
  for (const tag of listIn(query, "tags").slice(0, 100)) {
    const removed = await call("DELETE", `/tags/${part(tag)}`);
    if (removed.status !== 200 && removed.status !== 404) return refused(removed);
  }
  return {};
}
