/** Test support: a proxy between client and database server that can be cut, even during a commit. */
import { connect, createServer, type Socket } from "node:net";

export type DatabaseProxy = {
  /** URL of the server through the proxy. */
  url: string;
  /** Breaks all connections and refuses new ones. */
  cut(): void;
  heal(): void;
  /** Passes the next commit to the server and breaks the connection before the response. */
  loseNextCommit(): void;
  /** Number of lost commits. */
  lost(): number;
  close(): void;
};

export async function openDatabaseProxy(serverUrl: string): Promise<DatabaseProxy> {
  const target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  let isCut = false;
  let armed = false;
  let lost = 0;

  const server = createServer((client) => {
    if (isCut) return client.destroy();
    const upstream = connect(Number(target.port), target.hostname);
    let silent = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on("data", (chunk) => {
      if (armed && /\bcommit\b/i.test(chunk.toString("latin1"))) {
        armed = false;
        silent = true;
      }
      upstream.write(chunk);
    });
    upstream.on("data", (chunk) => {
      if (!silent) return void client.write(chunk);
      lost += 1;
      client.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cut = () => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  const url = new URL(serverUrl);
  url.hostname = "127.0.0.1";
  url.port = String((server.address() as { port: number }).port);
  return {
    url: url.href,
    cut,
    heal: () => void (isCut = false),
    loseNextCommit: () => void (armed = true),
    lost: () => lost,
    close() {
      cut();
      server.close();
    },
  };
}
