/** Parts of the room that take several inner rooms, as auth.ts composes them. */
import type { AuthCore, NotifyOfClient, RequestChecks, SignInMails } from "./auth-core.ts";
import type { SecondFactor } from "./second-factor/service.ts";
import type { Core } from "../platform/core.ts";
import { type ApiTokens, createApiTokens } from "./tokens/service.ts";
import { createApiTokensRepository } from "./tokens/repository.ts";
import type { Clock } from "../lib/clock.ts";
import type { SecretBox } from "../lib/secret-box.ts";
import { createAddressBuckets, createAddressLimit } from "./address-limit.ts";
import type { ClientAddress } from "./proxies.ts";
import type { SignInEvents } from "./login/sign-in-events.ts";
import { type Login } from "./login/service.ts";
import type { Passwords } from "./login/password.ts";
import { createSessionsRepository } from "./sessions/repository.ts";
import { createChallenges } from "./passkeys/webauthn.ts";
import { createPasskeyRepository } from "./passkeys/repository.ts";
import { createSessions, type Sessions } from "./sessions/service.ts";
import type { Tokens } from "./sessions/tokens.ts";
import { createContactRepository } from "./contact/repository.ts";
import type { AuthMail } from "./contact/mails.ts";
import { type Contacts, createContacts } from "./contact/service.ts";
import type { AccountDelay } from "./login/account-delay.ts";
import { createTeamRepository, createOwnerTransfer } from "./teams/repository.ts";
import { createTeams, type FileTransfer } from "./teams/service.ts";
import type { UsersRepository } from "./users/repository.ts";
import type { Users } from "./users/service.ts";
import { createProvider } from "./oidc/provider.ts";
import { createOidcRepository } from "./oidc/repository.ts";
import { createOidc } from "./oidc/service.ts";
import { createPasskeys, type Passkeys } from "./passkeys/service.ts";
import type { ProveOwn } from "./second-factor/own-proof.ts";

export type AuthDeps = Core & {
  /** Seals secrets of authenticator apps, and what sessions by OpenID Connect keep. */
  box: SecretBox;
  files(): FileTransfer;
  /** One instance per process; see login/password.ts. */
  passwords: Passwords;
  mail: AuthMail;
  /** Names what a User-Agent says; `Other` is unknown. */
  describeAgent(userAgent: string): { browser: string; os: string };
  onFailure?: AuthCore["onFailure"];
  proxies: ClientAddress;
  /** Counts an attempt of all workers of the machine. Default: of this process. */
  tryLogin?: (address: string) => number | Promise<number>;
};

/** Per process, then one a second. Two tabs need two in 15 minutes. */
const REFRESHES_AT_ONCE = 20;

/** An organization may come from one address in the morning. */
const OIDC_AT_ONCE = 100;

export const openSessions = (deps: AuthDeps, tokens: Tokens): Sessions =>
  createSessions({
    ...deps,
    repository: createSessionsRepository(deps.database),
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

export const openPasskeys = (
  deps: AuthDeps & AuthCore,
  parts: {
    sessions: Sessions;
    tokens: Tokens;
    signIns: SignInEvents;
    mails: SignInMails;
    secondFactor: SecondFactor;
  },
): Passkeys =>
  createPasskeys({
    ...deps,
    ...parts,
    repository: createPasskeyRepository(deps.database),
    challenges: createChallenges({ secret: () => deps.config.get("api.jwt_secret"), clock: deps.clock }),
  });

export const openOidc = (
  deps: AuthDeps & AuthCore,
  parts: {
    users: UsersRepository;
    sessions: Sessions;
    tokens: Tokens;
    signIns: SignInEvents;
    notifyNewBrowser: NotifyOfClient;
  },
) =>
  createOidc({
    ...deps,
    ...parts,
    provider: createProvider(deps),
    repository: createOidcRepository(deps.database),
  });

export const oidcLimit = (clock: Clock) =>
  createAddressLimit(createAddressBuckets({ clock, atOnce: OIDC_AT_ONCE }).tryNow, "Too many sign-ins");

export const openContacts = (
  deps: AuthDeps,
  { login, ...parts }: { users: Users; login: Login; prove: ProveOwn },
): Contacts =>
  createContacts({
    ...deps,
    ...parts,
    repository: createContactRepository(deps.database),
    resetAdminPassword: login.resetAdminPassword,
  });

/** An address may look up this many unknown API tokens at once, then one a second. */
const TOKEN_LOOKUPS_AT_ONCE = 50;

export const openApiTokens = (deps: AuthDeps): ApiTokens =>
  createApiTokens({
    ...deps,
    repository: createApiTokensRepository(deps.database),
    lookups: createAddressBuckets({ clock: deps.clock, atOnce: TOKEN_LOOKUPS_AT_ONCE }),
  });

export const createClientOf =
  ({ describeAgent }: AuthDeps, addressOf: RequestChecks["addressOf"]): RequestChecks["clientOf"] =>
  (c) => {
    const { browser, os } = describeAgent((c.req.header("User-Agent") ?? "").slice(0, 1024));
    return { address: addressOf(c), browser: knownName(browser), os: knownName(os) };
  };

const knownName = (name: string): string | null => (name === "Other" ? null : name);
