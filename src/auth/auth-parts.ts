/** Parts of the room that take several inner rooms, as auth.ts composes them. */
import { type ApiTokens, createApiTokens } from "./tokens/service.ts";
import { createApiTokensRepository } from "./tokens/repository.ts";
import type { HttpContext } from "../platform/http/endpoint.ts";
import type { ClientOf } from "./sessions/routes.ts";
import type { Queries } from "../platform/db/database.ts";
import type { Db } from "../platform/db/dialect.ts";
import type { Clock } from "../lib/clock.ts";
import type { RecordEvents } from "../lib/event.ts";
import type { Logger } from "../lib/logger.ts";
import type { SecretBox } from "../lib/secret-box.ts";
import { createAddressBuckets, createAddressLimit } from "./address-limit.ts";
import type { FailureMethod } from "./auth-metrics.ts";
import type { ClientAddress } from "./client-address.ts";
import type { AuthConfig } from "./auth-config.ts";
import type { AuthChanges } from "./changes.ts";
import type { SignInEvents } from "./login/sign-in-events.ts";
import { type AdminPasswordSetting, type Login } from "./login/service.ts";
import type { Passwords } from "./login/password.ts";
import { createSessionsRepository } from "./sessions/repository.ts";
import { createChallenges } from "./passkeys/challenge.ts";
import { createPasskeyRepository } from "./passkeys/repository.ts";
import { createSessions, type Sessions } from "./sessions/service.ts";
import type { Tokens } from "./sessions/tokens.ts";
import type { SetUpSettings } from "./set-up/routes.ts";
import type { FirstPasswordSetting } from "./set-up/service.ts";
import { BUILT_IN_ADMIN } from "./account.ts";
import { createContactRepository } from "./contact/repository.ts";
import type { AuthMail } from "./contact/link-mails.ts";
import type { TellOfClient } from "./contact/sign-in-mail.ts";
import { type Contacts, createContacts } from "./contact/service.ts";
import type { AccountDelay } from "./login/account-delay.ts";
import { createTeamRepository } from "./teams/repository.ts";
import { createTeams, type FileTransfer } from "./teams/service.ts";
import { createOwnerTransfer } from "./teams/transfer.repository.ts";
import type { UsersRepository } from "./users/repository.ts";
import type { Users } from "./users/service.ts";
import { createProvider } from "./oidc/provider.ts";
import { createOidcRepository } from "./oidc/repository.ts";
import { createOidc } from "./oidc/service.ts";
import type { OidcConfig } from "./oidc/settings.ts";
import { createPasskeys, type Passkeys } from "./passkeys/service.ts";
import type { ProveOwn } from "./second-factor/own-proof.ts";

export type AuthDeps = {
  database: Queries;
  changes: AuthChanges;
  record: RecordEvents<Db>;
  config: AuthConfig & AdminPasswordSetting & FirstPasswordSetting & SetUpSettings & OidcConfig;
  /** Seals secrets of authenticator apps, and what sessions by OpenID Connect keep. */
  box: SecretBox;
  files(): FileTransfer;
  /** One instance per process; see login/password.ts. */
  passwords: Passwords;
  mail: AuthMail;
  clock: Clock;
  logger: Logger;
  /** Names what a User-Agent says; `Other` is unknown. */
  describeAgent(userAgent: string): { browser: string; os: string };
  /** For `svc_auth_failures_total`. */
  onFailure?: (method: FailureMethod) => void;
  proxies: ClientAddress;
  /** For all workers of the machine. Default: for this process. */
  tryLogin?: (address: string) => number | Promise<number>;
};

/** Per process, then one a second. Two tabs need two in 15 minutes. */
const REFRESHES_AT_ONCE = 20;

/** An organization may come from one address in the morning. */
const OIDC_AT_ONCE = 100;

export const openSessions = ({ database, ...deps }: AuthDeps, tokens: Tokens): Sessions =>
  createSessions({
    ...deps,
    repository: createSessionsRepository(database),
    tokens,
    refreshLimit: createAddressLimit(
      createAddressBuckets({ clock: deps.clock, atOnce: REFRESHES_AT_ONCE }).tryNow,
      "Too many refreshes",
    ),
  });

export const openTeams = (deps: AuthDeps, accountDelay: AccountDelay) =>
  createTeams({
    ...deps,
    repository: createTeamRepository(deps.database),
    transfer: createOwnerTransfer(deps.database),
    accountDelay,
  });

type PasskeyParts = Pick<
  Parameters<typeof createPasskeys>[0],
  "sessions" | "tokens" | "signIns" | "tell" | "secondFactor" | "onFailure"
>;

export const openPasskeys = ({ database, ...deps }: AuthDeps, parts: PasskeyParts): Passkeys =>
  createPasskeys({
    ...deps,
    ...parts,
    repository: createPasskeyRepository(database),
    challenges: createChallenges({ secret: () => deps.config.get("api.jwt_secret"), clock: deps.clock }),
  });

export const openOidc = (
  { database, changes, record, config, box, clock, logger }: AuthDeps,
  parts: {
    users: UsersRepository;
    sessions: Sessions;
    tokens: Tokens;
    signIns: SignInEvents;
    tellNewBrowser: TellOfClient;
  },
) =>
  createOidc({
    ...parts,
    provider: createProvider({ clock, logger }),
    repository: createOidcRepository(database),
    changes,
    record,
    box,
    config,
    clock,
    logger,
  });

export const oidcLimit = (clock: Clock) =>
  createAddressLimit(createAddressBuckets({ clock, atOnce: OIDC_AT_ONCE }).tryNow, "Too many sign-ins");

type ContactParts = { users: Users; login: Login; prove: ProveOwn };

export const openContacts = (
  { config, ...deps }: AuthDeps,
  { users, login, prove }: ContactParts,
): Contacts =>
  createContacts({
    ...deps,
    prove,
    repository: createContactRepository(deps.database),
    users,
    secret: () => config.get("api.jwt_secret"),
    adminPasswordHash: () => config.get("api.admin_token"),
    setAdminPassword: (plain, also) => login.resetAdminPassword(plain, BUILT_IN_ADMIN.username, also),
  });

/** An address may look up this many unknown API tokens at once, then one a second. */
const TOKEN_LOOKUPS_AT_ONCE = 50;

export const openApiTokens = ({ database, ...deps }: AuthDeps): ApiTokens =>
  createApiTokens({
    ...deps,
    repository: createApiTokensRepository(database),
    lookups: createAddressBuckets({ clock: deps.clock, atOnce: TOKEN_LOOKUPS_AT_ONCE }),
  });

export const createClientOf =
  ({ describeAgent }: AuthDeps, addressOf: (c: HttpContext) => string): ClientOf =>
  (c) => {
    const { browser, os } = describeAgent((c.req.header("User-Agent") ?? "").slice(0, 1024));
    return { address: addressOf(c), browser: knownName(browser), os: knownName(os) };
  };

const knownName = (name: string): string | null => (name === "Other" ? null : name);
