/** Finds on the server for the commands. Every query is bounded, and ends when the next key is typed. */
import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { teamsQuery } from "../auth/teams/team-queries.ts";
import { inTree } from "../ui/tree-names.ts";
import { type Account, responseOf, api, type Link } from "../base/api.ts";
import { isSettingNamed, loadSettingWords } from "../config/words/setting-words.ts";

const MOST = 5;
/** Of these the best are shown. */
const MOST_LINKS = 20;
/** Whose files are searched too. */
const MOST_TEAMS = 10;
const SHORTEST = 2;
/** Longer ones, such as an address to shorten, the server does not search for. */
const LONGEST = 512;
const CODE = /^[\w.\-/]{1,128}$/;
const KEPT_MS = 30_000;

const shared = { placeholderData: keepPreviousData, staleTime: KEPT_MS, retry: false } as const;

const isSearched = (text: string): boolean => text.length >= SHORTEST && text.length <= LONGEST;

/** The link with exactly this code, long before a search of all texts ends. */
const exactQuery = (code: string) =>
  queryOptions({
    queryKey: ["links", "commands", "exact", code],
    queryFn: async ({ signal }): Promise<Link[]> => {
      const query = { code };
      const free = await responseOf(api.GET("/admin/v1/links/available", { params: { query }, signal }));
      if (free.data.available || !["taken", "alias"].includes(free.data.reason ?? "")) return [];
      const link = api.GET("/admin/v1/links/{code}", { params: { path: { code } }, signal });
      // That of another account is taken too, and not for this one.
      return responseOf(link).then(
        ({ data }) => [data],
        () => [],
      );
    },
    staleTime: KEPT_MS,
    retry: false,
  });

/** Of all domains. The answer has the links without counting them all. */
const linksQuery = (text: string) =>
  queryOptions({
    queryKey: ["links", "commands", text],
    queryFn: async ({ signal }) => {
      const query = { search: text, domain: "*", page_size: MOST_LINKS, cursor: "" };
      return (await responseOf(api.GET("/admin/v1/links", { params: { query }, signal }))).data;
    },
    ...shared,
  });

/** Of the account and of its teams, the best of each first. */
const filesQuery = (text: string, teams: readonly string[]) =>
  queryOptions({
    queryKey: ["files", "commands", text, teams],
    async queryFn({ signal }) {
      const find = async (team?: string) => {
        const query = { q: text, limit: MOST, ...inTree(team) };
        const { data } = await responseOf(api.GET("/files/search", { params: { query }, signal }));
        return data.map((entry, rank) => ({ ...entry, team, rank }));
      };
      const found = await Promise.all([find(), ...teams.map(find)]);
      return found
        .flat()
        .toSorted((a, b) => a.rank - b.rank)
        .slice(0, MOST);
    },
    ...shared,
  });

const sharesQuery = (text: string) =>
  queryOptions({
    queryKey: ["shares", "commands", text],
    queryFn: async ({ signal }) => {
      const query = { search: text, page_size: MOST, cursor: "" };
      return (await responseOf(api.GET("/shares", { params: { query }, signal }))).data;
    },
    ...shared,
  });

const accountsQuery = (text: string) =>
  queryOptions({
    queryKey: ["users", "commands", text],
    queryFn: async ({ signal }) => {
      const query = { search: text.slice(0, 64), page_size: MOST };
      return (await responseOf(api.GET("/admin/v1/users", { params: { query }, signal }))).data;
    },
    ...shared,
  });

const settingsQuery = queryOptions({
  queryKey: ["settings", "schema"],
  queryFn: async ({ signal }) => {
    const [schema] = await Promise.all([
      responseOf(api.GET("/admin/v1/config/schema", { signal })),
      loadSettingWords(),
    ]);
    return schema.data;
  },
  staleTime: KEPT_MS,
  retry: false,
});

const tagsQuery = queryOptions({
  queryKey: ["links", "tags"],
  queryFn: async ({ signal }) => (await responseOf(api.GET("/admin/v1/tags", { signal }))).data,
  staleTime: 60_000,
});

const domainsQuery = queryOptions({
  queryKey: ["domains"],
  queryFn: async ({ signal }) => (await responseOf(api.GET("/admin/v1/domains", { signal }))).data,
});

const keyOf = ({ code, domain }: Pick<Link, "code" | "domain">): string => `${domain ?? ""}/${code}`;

/** Of texts too short or too long to search for: nothing but the link with that code. */
export function useFindings(text: string, { role, username }: Account) {
  const { data: teams = [] } = useQuery({ ...teamsQuery, staleTime: KEPT_MS });
  const joined = teams.filter(({ members }) => members.some(({ account }) => account === username));
  const trees = joined.slice(0, MOST_TEAMS).map(({ name }) => name);
  const isLong = isSearched(text);
  const hasLinks = role !== "user";
  const isAdmin = role === "admin";
  const exact = useQuery({ ...exactQuery(text), enabled: hasLinks && CODE.test(text) });
  // The server reads few things at once: the link with that code does not wait behind a search of all texts.
  const isSearching = isLong && !exact.isLoading;
  const links = useQuery({ ...linksQuery(text), enabled: hasLinks && isSearching });
  const files = useQuery({ ...filesQuery(text, trees), enabled: isSearching });
  const shares = useQuery({ ...sharesQuery(text), enabled: isSearching });
  const accounts = useQuery({ ...accountsQuery(text), enabled: isAdmin && isSearching });
  const settings = useQuery({ ...settingsQuery, enabled: isAdmin && isLong });
  const tags = useQuery({ ...tagsQuery, enabled: hasLinks && isLong });
  const domains = useQuery({ ...domainsQuery, enabled: hasLinks && isLong });
  const has = (name: string) => name.toLowerCase().includes(text.toLowerCase());
  const own = exact.data ?? [];
  const others = ((isLong && links.data) || []).filter(
    (link) => !own.some((one) => keyOf(one) === keyOf(link)),
  );
  return {
    links: [...own, ...others],
    files: (isLong && files.data) || [],
    shares: (isLong && shares.data) || [],
    accounts: (isLong && accounts.data) || [],
    settings: isLong
      ? (settings.data ?? []).filter((setting) => isSettingNamed(text, setting)).slice(0, MOST)
      : [],
    tags: isLong ? (tags.data ?? []).filter(({ tag }) => has(tag)).slice(0, MOST) : [],
    domains: isLong ? (domains.data ?? []).filter(({ host }) => has(host)).slice(0, MOST) : [],
    /** The first of what is found may change. */
    isSearching:
      (isLong && !isSearching) ||
      [exact, links, files, shares, settings].some(({ isFetching }) => isFetching),
    error: links.error ?? files.error ?? shares.error ?? settings.error,
  };
}
export type Findings = ReturnType<typeof useFindings>;
