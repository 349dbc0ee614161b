import { driveClient } from "./drive.ts";
import { startSignedIn } from "./session.ts";
import type { Settings } from "./waymark.ts";

/** A server that the test kills, with clients that stay signed in. */
export type Killed = Awaited<ReturnType<typeof startToBeKilled>>;

export async function startToBeKilled() {
  const { installation, client, ...started } = await startSignedIn();
  let { server } = started;
  const { url } = server;
  return {
    installation,
    client,
    origin: url,
    me: driveClient(url, client.token),
    /** Kills it and starts it again on its port, with further settings. */
    async restart(settings: Settings = {}): Promise<void> {
      await server.kill();
      server = await installation.serve({ WAYMARK__SERVER__PORT: new URL(url).port, ...settings });
    },
  };
}
