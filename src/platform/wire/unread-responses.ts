/** Bounds what clients have not read of their responses, over all connections. Shared bytes do not count. */
import { addressGroup } from "../../lib/ip-address.ts";

const MOST_BYTES = 128 * 1024 * 1024;

type Reader = { readonly peerAddress: string | null; readonly outbox: { unread(): number }; cut(): void };

/**
 * Call the result with each change. Beyond the bound it cuts connections of the client that holds the most, oldest
 * first, until an eighth is free.
 *
 * @param connections in the order of arrival
 */
export function createUnreadResponses(connections: Iterable<Reader>, most = MOST_BYTES) {
  let sum = 0;
  let isShedding = false;

  function shed(): void {
    const readers = Map.groupBy(
      [...connections].filter(({ outbox }) => outbox.unread() > 0),
      ({ peerAddress }) => addressGroup(peerAddress ?? ""),
    );
    const total = (group: Reader[]) => group.reduce((bytes, { outbox }) => bytes + outbox.unread(), 0);
    const groups = [...readers.values()].map((group) => ({ group, bytes: total(group) }));
    for (const { group } of groups.toSorted((a, b) => b.bytes - a.bytes)) {
      for (const reader of group) if (sum > (most / 8) * 7) reader.cut();
    }
    isShedding = false;
  }

  return (change: number): void => {
    sum += change;
    if (sum <= most || isShedding) return;
    isShedding = true;
    // Not within the write that exceeds it.
    queueMicrotask(shed);
  };
}
