import { inParallel } from "./in-parallel.ts";

const HOSTS_AT_ONCE = 4;

/** Works on the targets of one host in turn, and on few hosts at once, until `isOver` or all are done. */
export async function inHostTurns<T extends { target: string }>(
  items: readonly T[],
  isOver: () => boolean,
  work: (item: T) => Promise<void>,
  mostOfHost = Infinity,
): Promise<void> {
  const hosts = Map.groupBy(items, ({ target }) => URL.parse(target)?.host ?? "");
  await inParallel(hosts.values(), HOSTS_AT_ONCE, async (ofHost) => {
    for (const item of ofHost.slice(0, mostOfHost)) {
      if (isOver()) return;
      await work(item);
    }
  });
}
