/** Starts a real provider of OpenID Connect, and signs in to it as a browser does. */
import { join } from "node:path";
import type { ProviderState } from "./provider-process.test-support.ts";

export const CLIENT = { id: "waymark", secret: "secret+of/the:client%" };

export type TestProvider = Awaited<ReturnType<typeof spawnProvider>>;

/** @param origins of instances of Waymark */
export async function spawnProvider(origins: readonly string[]) {
  const client = {
    client_id: CLIENT.id,
    client_secret: CLIENT.secret,
    redirect_uris: origins.map((origin) => `${origin}/admin/v1/auth/oidc/callback`),
    post_logout_redirect_uris: origins.map((origin) => `${origin}/panel/sign-in`),
  };
  const script = join(import.meta.dir, "provider-process.test-support.ts");
  const spawned = Bun.spawn([process.execPath, script, JSON.stringify([client])], {
    stdout: "pipe",
    stderr: "ignore",
  });
  const issuer = await firstIssuer(spawned.stdout);
  return {
    issuer,
    /** Returns how often its description was read. */
    async control(change: Partial<ProviderState>): Promise<number> {
      const response = await fetch(`${issuer}/control`, { method: "POST", body: JSON.stringify(change) });
      return ((await response.json()) as { discoveries: number }).discoveries;
    },
    /** Follows the provider's pages with cookies, up to the address that leads back to Waymark. */
    async follow(start: string): Promise<URL> {
      const jar = new Map<string, string>();
      let at = new URL(start);
      for (let hop = 0; hop < 10; hop++) {
        if (at.origin !== issuer) return at;
        const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
        const response = await fetch(at, { redirect: "manual", headers: { Cookie: cookie } });
        for (const set of response.headers.getSetCookie()) {
          const [name, value] = set.split(";", 1)[0]!.split("=", 2) as [string, string];
          jar.set(name, value);
        }
        const next = response.headers.get("Location");
        if (next === null)
          throw new Error(`The provider answers ${response.status}: ${await response.text()}`);
        at = new URL(next, at);
      }
      throw new Error("The provider leads in a circle.");
    },
    async stop(): Promise<void> {
      spawned.kill();
      await spawned.exited;
    },
  };
}

async function firstIssuer(output: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  const reader = output.getReader();
  const decoder = new TextDecoder();
  for (let found; ; text += decoder.decode(found.value)) {
    const issuer = /issuer (\S+)\n/.exec(text)?.[1];
    if (issuer !== undefined) return issuer;
    found = await reader.read();
    if (found.done) throw new Error(`The provider did not start: ${text}`);
  }
}
