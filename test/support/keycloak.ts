/** A real Keycloak in its development mode, with a realm of the test. KEYCLOAK_DIR is the folder of an unpacked one. */
import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./proxies.ts";
import { until } from "./until.ts";

const FOLDER = process.env["KEYCLOAK_DIR"];
const JAVA = Bun.which("java") ?? process.env["JAVA_HOME"];
const ADMIN = { username: "root", password: "password of the master realm" };
/** Its first start builds it anew: 10 s, and minutes on a busy machine. */
const START_TRIES = 14_000;

/** Why none can be started; null: it can. */
export function missingKeycloak(): string | null {
  if (!FOLDER || !existsSync(join(FOLDER, "bin/kc.sh")))
    return "KEYCLOAK_DIR is not the folder of an unpacked Keycloak";
  return JAVA === undefined ? "there is no Java (Debian: default-jre-headless)" : null;
}

export type Keycloak = Awaited<ReturnType<typeof startKeycloak>>;

/** Starts a copy, since Keycloak writes into its own folder, and waits until the realm is there. */
export async function startKeycloak(realm: { realm: string; [key: string]: unknown }) {
  const home = mkdtempSync(join(tmpdir(), "waymark-keycloak-"));
  cpSync(FOLDER!, home, { recursive: true });
  await Bun.write(join(home, `data/import/${realm.realm}-realm.json`), JSON.stringify(realm));
  const log = Bun.file(join(home, "log"));
  const origin = `http://localhost:${await freePort()}`;
  const program = ["/bin/sh", join(home, "bin/kc.sh"), "start-dev", "--import-realm"];
  const child = Bun.spawn([...program, "--http-host=127.0.0.1", `--http-port=${new URL(origin).port}`], {
    env: {
      ...process.env,
      KC_BOOTSTRAP_ADMIN_USERNAME: ADMIN.username,
      KC_BOOTSTRAP_ADMIN_PASSWORD: ADMIN.password,
    },
    stdio: ["ignore", log, log],
  });
  const issuer = `${origin}/realms/${realm.realm}`;
  const keycloak = {
    issuer,
    /** A call to the administration of the realm, which must succeed. */
    async admin(method: string, path: string, body?: unknown): Promise<unknown> {
      const answer = await fetch(`${origin}/admin/realms/${realm.realm}${path}`, {
        method,
        headers: { Authorization: `Bearer ${await adminToken(origin)}`, "Content-Type": "application/json" },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`Keycloak answers ${method} ${path} with ${answer.status}: ${text}`);
      return text === "" ? null : JSON.parse(text);
    },
    async stop(): Promise<void> {
      child.kill();
      await child.exited;
      rmSync(home, { recursive: true, force: true });
    },
  };
  try {
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`Keycloak ended with ${child.exitCode}.`);
      const answer = await fetch(`${issuer}/.well-known/openid-configuration`).catch(() => null);
      return answer?.ok === true;
    }, START_TRIES);
  } catch (error) {
    const printed = await log.text();
    await keycloak.stop();
    throw new Error(`Keycloak did not start:\n${printed}`, { cause: error });
  }
  return keycloak;
}

async function adminToken(origin: string): Promise<string> {
  const answer = await fetch(`${origin}/realms/master/protocol/openid-connect/token`, {
    method: "POST",
    body: new URLSearchParams({ grant_type: "password", client_id: "admin-cli", ...ADMIN }),
  });
  return ((await answer.json()) as { access_token: string }).access_token;
}
