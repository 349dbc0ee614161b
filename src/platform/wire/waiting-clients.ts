/**
 * Connections whose clients have something to complete, by client. At the limit of connections the oldest one of the
 * client with the most goes. Each step takes constant time, so a flood costs little.
 */
type Group<C> = { client: string; members: Set<C> };

export function createWaitingClients<C>() {
  const byClient = new Map<string, Group<C>>();
  const ofConnection = new Map<C, Group<C>>();
  const bySize: Set<Group<C>>[] = [];
  let most = 0;

  function resized(group: Group<C>, before: number): void {
    const { client, members } = group;
    bySize[before]?.delete(group);
    if (members.size === 0) return void byClient.delete(client);
    byClient.set(client, group);
    (bySize[members.size] ??= new Set()).add(group);
    most = Math.max(most, members.size);
  }

  return {
    add(connection: C, client: string): void {
      const group = byClient.get(client) ?? { client, members: new Set() };
      ofConnection.set(connection, group);
      group.members.add(connection);
      resized(group, group.members.size - 1);
    },
    /** No effect on others. */
    delete(connection: C): void {
      const group = ofConnection.get(connection);
      if (group === undefined) return;
      ofConnection.delete(connection);
      group.members.delete(connection);
      resized(group, group.members.size + 1);
    },
    /** Undefined if there is none. */
    next(): C | undefined {
      while (most > 0 && bySize[most]!.size === 0) most--;
      const [group] = bySize[most] ?? [];
      const [oldest] = group?.members ?? [];
      return oldest;
    },
  };
}
