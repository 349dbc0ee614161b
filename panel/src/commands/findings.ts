/** Finds links, files and shares on the server for the commands. Every query is bounded. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type Account, answerOf, api } from "../base/api.ts";
import { isSettingFound, loadSettingWords } from "../config/words/setting-words.ts";

const MOST = 5;
const SHORTEST = 2;
/** Longer ones, such as an address to shorten, the server does not search for. */
const LONGEST = 512;
const KEPT_MS = 30_000;

const shared = { placeholderData: keepPreviousData, staleTime: KEPT_MS, retry: false } as const;

const isSearched = (text: string): boolean => text.length >= SHORTEST && text.length <= LONGEST;

/** The links of the answer without counting them all. */
function useFoundLinks(text: string, isAllowed: boolean) {
  return useQuery({
    ...shared,
    queryKey: ["links", "commands", text],
    queryFn: async ({ signal }) => {
      const query = { search: text, page_size: MOST, cursor: "" };
      return (await answerOf(api.GET("/admin/v1/links", { params: { query }, signal }))).data;
    },
    enabled: isAllowed && isSearched(text),
  });
}

function useFoundFiles(text: string) {
  return useQuery({
    ...shared,
    queryKey: ["files", "commands", text],
    queryFn: async ({ signal }) =>
      (await answerOf(api.GET("/files/search", { params: { query: { q: text, limit: MOST } }, signal })))
        .data,
    enabled: isSearched(text),
  });
}

function useFoundShares(text: string) {
  return useQuery({
    ...shared,
    queryKey: ["shares", "commands", text],
    queryFn: async ({ signal }) => {
      const query = { search: text, page_size: MOST, cursor: "" };
      return (await answerOf(api.GET("/shares", { params: { query }, signal }))).data;
    },
    enabled: isSearched(text),
  });
}

function useFoundSettings(text: string, isAllowed: boolean) {
  return useQuery({
    ...shared,
    queryKey: ["settings", "schema"],
    queryFn: async ({ signal }) => {
      const [schema] = await Promise.all([
        answerOf(api.GET("/admin/v1/config/schema", { signal })),
        loadSettingWords(),
      ]);
      return schema.data;
    },
    enabled: isAllowed && isSearched(text),
    select: (settings) => settings.filter((setting) => isSettingFound(text, setting)).slice(0, MOST),
  });
}

/** Of texts too short or too long to search for: nothing. */
export function useFindings(text: string, { role }: Account) {
  const isLong = isSearched(text);
  const links = useFoundLinks(text, role !== "user");
  const files = useFoundFiles(text);
  const shares = useFoundShares(text);
  const settings = useFoundSettings(text, role === "admin");
  return {
    links: (isLong && links.data) || [],
    files: (isLong && files.data) || [],
    shares: (isLong && shares.data) || [],
    settings: (isLong && settings.data) || [],
    isSearching: links.isFetching || files.isFetching || shares.isFetching || settings.isFetching,
    error: links.error ?? files.error ?? shares.error ?? settings.error,
  };
}
