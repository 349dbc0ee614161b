/**
 * Sets the first password of the built-in administrator over HTTP, for whoever reads the start's line on the terminal:
 * its address holds a secret of 128 random bits. An address ends after an hour, its use, or when a password is set
 * otherwise. Every start prints one of its own. Wrong tries end none: a stranger could lock the owner out.
 */
import type { RequestClient } from "../auth-core.ts";
import type { Core } from "../../platform/core.ts";
import { createHash, randomBytes } from "node:crypto";
import { AppError, appError } from "../../lib/errors.ts";
import { BUILT_IN_ADMIN } from "../account.ts";
import type { Passwords } from "../login/password.ts";
import type { SignInEvents } from "../login/sign-in-events.ts";
import type { Session, SignedIn } from "../sessions/session.ts";
import type { Sessions } from "../sessions/service.ts";
import type { SetUpRepository } from "./repository.ts";

const LIFETIME_MS = 3_600_000;
/** Several nodes may start at once. */
const MOST_ADDRESSES = 16;
const SECRET_BYTES = 16;

type SetUpChoice = {
  secret: string;
  password: string;
  /** The texts of settings by key. */
  settings: Readonly<Record<string, string>>;
  client: RequestClient;
};

type Deps = Core & {
  repository: SetUpRepository;
  sessions: Sessions;
  passwords: Passwords;
  signIns: SignInEvents;
};

export type SetUp = ReturnType<typeof createSetUp>;

export function createSetUp({ repository, sessions, passwords, signIns, config, clock }: Deps) {
  const isSetUp = (): boolean => config.get("api.admin_token") !== "";

  /** The end, epoch ms. @throws NotFound */
  async function validateSecret(secret: string): Promise<number> {
    if (isSetUp()) throw appError("NotFound", "A password is set already. Sign in.");
    const expiresAt = await repository.find(hashOf(secret), clock.now());
    if (expiresAt === null) throw addressInvalid();
    return expiresAt;
  }

  return {
    /** The secret of a new address; null when a password is set. */
    async openAddress(): Promise<string | null> {
      if (isSetUp()) return null;
      const secret = randomBytes(SECRET_BYTES).toString("base64url");
      const now = clock.now();
      await repository.add(hashOf(secret), { now, expiresAt: now + LIFETIME_MS, most: MOST_ADDRESSES });
      return secret;
    },

    validateSecret,

    /**
     * Uses the address up. Of concurrent requests one wins.
     * @throws NotFound, Conflict, BadRequest, ServiceUnavailable
     */
    async complete({ secret, password, settings, client }: SetUpChoice): Promise<SignedIn> {
      await validateSecret(secret);
      const passwordHash = await passwords.hashPassword(password);
      const actor = { name: BUILT_IN_ADMIN.username, via: "panel" } as const;
      let session: Session | undefined;
      const change = config.setFirstAdminPasswordHash(passwordHash, settings, actor, async (tx) => {
        if (!(await repository.take(tx.db, hashOf(secret), clock.now()))) throw addressInvalid();
        await repository.removeAll(tx.db);
        await sessions.endAllOf(tx, BUILT_IN_ADMIN.id);
        await signIns.succeeded(tx.db, { username: actor.name, address: client.address, via: actor.via });
        session = await sessions.open(tx, BUILT_IN_ADMIN.id, client, "password");
      });
      await change.catch((error: unknown) => {
        // Only this setting refuses values.
        if (!(error instanceof AppError) || error.name !== "BadRequest") throw error;
        throw appError("BadRequest", error.message, { field: "public_url" });
      });
      return sessions.sign(session!, BUILT_IN_ADMIN);
    },
  };
}

const hashOf = (secret: string): string => createHash("sha256").update(secret).digest("hex");

const addressInvalid = () =>
  appError(
    "NotFound",
    "This set-up address is wrong, already used or older than an hour. Restart Waymark for a new one, or run 'waymark reset-password'.",
  );
