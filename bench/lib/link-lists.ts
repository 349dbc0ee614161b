/** The lists of bench/links.ts, and whose links it makes. */
import { ownerOfTeam } from "../../src/lib/owner.ts";
import { type ListQuery, SORT_KEYS } from "../../src/links/list/query.ts";

/** Account of a quarter of the links. */
export const EDITOR = 7;
/** Teams of another quarter, and of one in 400. */
export const [LARGE_TEAM, SMALL_TEAM] = [ownerOfTeam(3), ownerOfTeam(4)];
export const ownerAt = (at: number) =>
  at % 4 === 0 ? EDITOR : at % 4 === 1 ? LARGE_TEAM : at % 400 === 2 ? SMALL_TEAM : null;

/** @param born of the first link, one each 20 ms */
export function linkLists(count: number, born: number) {
  const deep = SORT_KEYS.flatMap((sort): [string, ListQuery][] => [
    [`page 500 by ${sort}`, { sort, page: "500" }],
    [`middle page by ${sort}`, { sort, page: String(count / 40) }],
  ]);

  const tags = SORT_KEYS.flatMap((sort): [string, ListQuery][] => [
    [`tag of 1 in 5 by ${sort}`, { tag: ["team 1"], sort }],
    [`tag of 1 in 5, deep, by ${sort}`, { tag: ["team 1"], sort, page: String(count / 200) }],
    [`tag of 1 in 500 by ${sort}`, { tag: ["topic 3"], sort }],
    [`two tags by ${sort}`, { tag: ["topic 3", "team 3"], sort }],
    [`rare tag by ${sort}`, { tag: ["rare"], sort }],
    [`two tags of no link by ${sort}`, { tag: ["team 1", "team 2"], sort }],
    [`tag and account, page 500, ${sort}`, { tag: ["team 1"], owner: String(EDITOR), sort, page: "500" }],
  ]);

  const middle = new Date(born + count * 5).toISOString();
  const manyTagged = SORT_KEYS.flatMap((sort): [string, ListQuery][] => [
    [`tag of all by ${sort}`, { tag: ["all"], sort }],
    [`tag of all, middle, by ${sort}`, { tag: ["all"], sort, page: String(count / 40) }],
    [`two frequent tags by ${sort}`, { tag: ["all", "team 1"], sort }],
    [`two frequent tags, deep, by ${sort}`, { tag: ["all", "team 1"], sort, page: String(count / 200) }],
    [
      `tag, active, deep, by ${sort}`,
      { tag: ["team 1"], only_active: "1", sort, page: String(Math.ceil(count / 210)) },
    ],
    [
      `tag, a span, deep, by ${sort}`,
      { tag: ["team 1"], created_after: middle, sort, page: String(count / 500) },
    ],
  ]);
  const ofEditors = SORT_KEYS.flatMap((sort): [string, ListQuery][] => [
    [`editor by ${sort}`, { sort }],
    [`editor, deep, by ${sort}`, { sort, page: String(count / 200) }],
    [`editor, tag, by ${sort}`, { tag: ["team 1"], sort }],
    [`editor, tag, deep, by ${sort}`, { tag: ["team 1"], sort, page: String(count / 800) }],
  ]);

  /** Of an account and its teams. */
  const ofMembers = SORT_KEYS.flatMap((sort): [string, ListQuery][] => [
    [`member by ${sort}`, { sort }],
    [`member, middle, by ${sort}`, { sort, page: String(count / 80) }],
    [`member, tag, by ${sort}`, { tag: ["team 1"], sort }],
    [`member, rare tag, by ${sort}`, { tag: ["rare"], sort }],
    [`member, one small team, by ${sort}`, { owner: String(SMALL_TEAM), sort }],
    [
      `member, one large team, deep, by ${sort}`,
      { owner: String(LARGE_TEAM), sort, page: String(count / 200) },
    ],
  ]);

  /** In five in a hundred links, in all, in none of the tag, of two letters. */
  const words = ["frequent", "example", "medium", "zq"];
  const tagsAndWords = ["team 1", "all"].flatMap((tag) =>
    words.flatMap((search): [string, ListQuery][] => [
      [`${tag} and ${search}`, { tag: [tag], search }],
      [`${tag} and ${search}, deep`, { tag: [tag], search, page: search === "example" ? "4000" : "20" }],
    ]),
  );

  const lists: [string, ListQuery][] = [
    ...tags,
    ...manyTagged,
    ["search, word in titles", { search: "campaign 37 of" }],
    ...tagsAndWords,
    ...deep,
    ["list, first page", {}],
    ["list, last page", { page: String(count / 20) }],
    ["list, active, first page", { only_active: "1" }],
    ["list, active, middle page", { only_active: "1", page: String(count / 40) }],
    ["list, expired, first page", { only_expired: "1" }],
    ["list, a span, middle page", { created_after: middle, page: "2000" }],
    ["search, rare word", { search: "needle" }],
    ["search, medium word", { search: "Medium" }],
    ["search, word of one in a hundred", { search: "percent" }],
    ["search, frequent word", { search: "frequent" }],
    ["search, word in every link", { search: "EXAMPLE" }],
    ["search, word in no link", { search: "nowhere" }],
    ["search, two letters", { search: "zq" }],
    ["search, medium word, middle page", { search: "medium", page: String(count / 8000) }],
    ["search, frequent word, middle page", { search: "frequent", page: String(count / 800) }],
    ["search, every link, last page", { search: "example", page: String(count / 20) }],
    ["search, active, frequent word", { search: "frequent", only_active: "1" }],
  ];
  return { lists, ofEditors, ofMembers };
}
