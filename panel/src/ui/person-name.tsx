/** What people are called. Names that are shown together are asked for in one request. */
import { t } from "@lingui/core/macro";
import { useQuery, queryOptions } from "@tanstack/react-query";
import { teamOf } from "./tree-names.ts";
import { api, responseOf } from "../base/api.ts";

const MOST_NAMES = 100;
const STALE_MS = 300_000;

type Batch = { usernames: Set<string>; names: Promise<ReadonlyMap<string, string>> };

let open: Batch | null = null;

function startBatch(): Batch {
  const usernames = new Set<string>();
  async function ask(): Promise<ReadonlyMap<string, string>> {
    // The names of one render come before it goes on.
    await Promise.resolve();
    if (open?.usernames === usernames) open = null;
    const params = { query: { names: [...usernames].join(",") } };
    const { data } = await responseOf(api.GET("/admin/v1/people", { params }));
    return new Map(data.map((person) => [person.username, person.display_name ?? person.username]));
  }
  return { usernames, names: ask() };
}

async function nameOf(username: string): Promise<string> {
  if (open === null || open.usernames.size >= MOST_NAMES) open = startBatch();
  open.usernames.add(username);
  return (await open.names).get(username) ?? username;
}

export const PEOPLE = "people";

const isAccount = (name: string): boolean => name !== "" && !name.includes(":");

/** What is no account: a team, a token or a command. */
function withoutAccount(username: string): string {
  const name = teamOf(username);
  return name === undefined ? username : t`Team ${name}`;
}

export const personNameQuery = (username: string) =>
  queryOptions({
    queryKey: [PEOPLE, username],
    queryFn: () => (isAccount(username) ? nameOf(username) : withoutAccount(username)),
    staleTime: STALE_MS,
  });

/** @param username an account, or a team as `team:name` */
export function usePersonName(username: string): string {
  const { data } = useQuery({ ...personNameQuery(username), enabled: isAccount(username) });
  return data ?? withoutAccount(username);
}

/** What an account is called, with its username where that is another one. */
export function PersonName({ of: username }: { of: string }) {
  const name = usePersonName(username);
  return <bdi title={name === username ? undefined : username}>{name}</bdi>;
}
