import { usePersonName } from "../base/people.ts";

/** What an account is called, with its username where that is another one. */
export function PersonName({ of: username }: { of: string }) {
  const name = usePersonName(username);
  return <bdi title={name === username ? undefined : username}>{name}</bdi>;
}
