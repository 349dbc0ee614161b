import type { Queries } from "../db/database.ts";
import type { Db } from "../db/dialect.ts";
import type { HttpContext } from "../http/endpoint.ts";
import type { Clock } from "../lib/clock.ts";
import type { RecordEvents } from "../lib/event.ts";
import type { Logger } from "../lib/logger.ts";
import type { SecretBox } from "../lib/secret-box.ts";
import { createAccountDelay } from "./login/account-delay.ts";
import { createAddressBuckets, createAddressLimit } from "./address-limit.ts";
import type { FailureMethod } from "./auth-metrics.ts";
import type { AuthConfig } from "./auth-config.ts";
import type { AuthChanges } from "./changes.ts";
import { authEndpoints } from "./auth.routes.ts";
import { createClientAddress } from "./client-address.ts";
import { createGuard, createHealthGuard } from "./guards.ts";
import { createLoginFailuresRepository } from "./login/failures.repository.ts";
import { createSignInEvents, type SignInEvents } from "./login/sign-in-events.ts";
import { type AdminPasswordSetting, createLogin, type Login } from "./login/service.ts";
import type { Passwords } from "./login/password.ts";
import { createPasswordCheck } from "./login/password-check.ts";
import { createSessionsRepository } from "./sessions/repository.ts";
import { createSecondFactorRepository } from "./second-factor/repository.ts";
import { secondFactorEndpoints } from "./second-factor/routes.ts";
import { createSecondFactor } from "./second-factor/service.ts";
import { type ClientOf, ownSessionEndpoints } from "./sessions/routes.ts";
import { createSessions, type Sessions } from "./sessions/service.ts";
import { createTokens } from "./sessions/tokens.ts";
import { createApiTokensRepository } from "./tokens/repository.ts";
import { tokenEndpoints } from "./tokens/routes.ts";
import { createApiTokens } from "./tokens/service.ts";
import { createSetUpRepository } from "./set-up/repository.ts";
import { setUpEndpoints, type SetUpSettings } from "./set-up/routes.ts";
import { createSetUp, type FirstPasswordSetting } from "./set-up/service.ts";
import { createTeamRepository } from "./teams/repository.ts";
import { teamEndpoints } from "./teams/routes.ts";
import { createOwnerTransfer } from "./teams/transfer.repository.ts";
import { createTeams } from "./teams/service.ts";
import { BUILT_IN_ADMIN } from "./account.ts";
import { createContactRepository } from "./contact/repository.ts";
import { contactEndpoints } from "./contact/routes.ts";
import type { AuthMail } from "./contact/link-mails.ts";
import { createSignInMail } from "./contact/sign-in-mail.ts";
import { type Contacts, createContacts } from "./contact/service.ts";
import { refuseCrossSite } from "./sessions/origin.ts";
import { createUsersRepository, type UsersRepository } from "./users/repository.ts";
import { userEndpoints } from "./users/routes.ts";
import { createUsers, type Users } from "./users/service.ts";
import { createProvider } from "./oidc/provider.ts";
import { createOidcRepository } from "./oidc/repository.ts";
import { oidcEndpoints } from "./oidc/routes.ts";
import { createOidc } from "./oidc/service.ts";
import type { OidcConfig } from "./oidc/settings.ts";

type Deps = {
  database: Queries;
  changes: AuthChanges;
  record: RecordEvents<Db>;
  config: AuthConfig & AdminPasswordSetting & FirstPasswordSetting & SetUpSettings & OidcConfig;
  /** Seals secrets of authenticator apps, and what sessions by OpenID Connect keep. */
  box: SecretBox;
  /** One instance per process; see login/password.ts. */
  passwords: Passwords;
  mail: AuthMail;
  clock: Clock;
  logger: Logger;
  /** Names what a User-Agent says; `Other` is unknown. */
  describeAgent(userAgent: string): { browser: string; os: string };
  /** For `svc_auth_failures_total`. */
  onFailure?: (method: FailureMethod) => void;
  /** For all workers of the machine. Default: for this process. */
  tryLogin?: (address: string) => number | Promise<number>;
};

export type Auth = ReturnType<typeof createAuth>;

/** Per process, then one a second. Two tabs need two in 15 minutes. */
const REFRESHES_AT_ONCE = 20;

/** An address may look up this many unknown API tokens at once, then one a second. */
const TOKEN_LOOKUPS_AT_ONCE = 50;

/** An organization may come from one address in the morning. */
const OIDC_AT_ONCE = 100;

const CLEAN_UP_ROWS = 1000;
const CLEAN_UP_ROUNDS = 25;

export function createAuth(deps: Deps) {
  const { database, changes, record, config, passwords, clock, logger } = deps;
  const { onFailure = () => {}, tryLogin = createAddressBuckets({ clock }).tryNow } = deps;
  const usersRepository = createUsersRepository(database);
  const tokens = createTokens({ secret: () => config.get("api.jwt_secret"), clock });
  const sessions = createSessions({
    repository: createSessionsRepository(database),
    changes,
    record,
    tokens,
    refreshLimit: createAddressLimit(
      createAddressBuckets({ clock, atOnce: REFRESHES_AT_ONCE }).tryNow,
      "Too many refreshes",
    ),
    config,
    clock,
    logger,
  });
  const accountDelay = createAccountDelay({ repository: createLoginFailuresRepository(database), clock });
  const addressLimit = createAddressLimit(tryLogin);
  const passwordCheck = createPasswordCheck({ passwords, accountDelay, logger, onFailure, config });
  const apiTokens = createApiTokens({
    repository: createApiTokensRepository(database),
    changes,
    record,
    lookups: createAddressBuckets({ clock, atOnce: TOKEN_LOOKUPS_AT_ONCE }),
    clock,
  });
  const secondFactor = createSecondFactor({
    ...deps,
    repository: createSecondFactorRepository(database),
    accountDelay,
    sessions,
    onFailure,
  });
  const teams = createTeams({
    repository: createTeamRepository(database),
    transfer: createOwnerTransfer(database),
    changes,
    record,
    clock,
  });
  const users = createUsers({
    ...deps,
    repository: usersRepository,
    teams,
    sessions,
    apiTokens,
    secondFactor,
    accountDelay,
  });
  const setUpRepository = createSetUpRepository(database);
  const signIns = createSignInEvents({ write: database.write, record, clock });
  const setUp = createSetUp({ repository: setUpRepository, sessions, passwords, signIns, config, clock });
  const oidc = openOidc(deps, { users: usersRepository, sessions, signIns });
  const proofs = { tokens, passwordCheck, accountDelay, secondFactor };
  const login = createLogin({
    ...deps,
    ...proofs,
    users: usersRepository,
    sessions,
    signIns,
    closeSetUp: setUpRepository.removeAll,
    tellNewBrowser: createSignInMail({ ...deps, repository: createContactRepository(database) }),
  });
  const contacts = contactsOf(deps, users, login);
  const { clientAddress, isTrustedProxy } = createClientAddress(() => config.get("api.trusted_proxies"));
  const addressOf = (c: HttpContext): string =>
    clientAddress(c.env.peerAddress(), c.req.header("X-Forwarded-For") ?? null);
  const clientOf: ClientOf = (c) => {
    const { browser, os } = deps.describeAgent((c.req.header("User-Agent") ?? "").slice(0, 1024));
    return { address: addressOf(c), browser: knownName(browser), os: knownName(os) };
  };
  const doors = { config, addressLimit, addressOf, clientOf };
  const refuseForeign = (c: HttpContext) => refuseCrossSite(c.req.raw, config);
  const guard = createGuard({ sessions, apiTokens, secondFactor, addressOf, config, onFailure });
  const web = { ...doors, login, sessions, oidc, users, contacts, secondFactor, clock, refuseForeign };
  return {
    guard,
    /** Also accepts the health token. */
    healthGuard: createHealthGuard({ guard, config, onFailure }),
    /** Relative to `{admin_prefix}/v1`. */
    endpoints: [
      ...oidcEndpoints({ oidc, config, addressLimit: oidcLimit(clock), clientOf }),
      ...authEndpoints(web),
      ...secondFactorEndpoints(web),
      ...ownSessionEndpoints(web),
      ...userEndpoints(web),
      ...contactEndpoints(web),
      ...teamEndpoints({ teams }),
      ...tokenEndpoints({ apiTokens, now: clock.now }),
    ],
    /** Relative to `{routes.frontend_prefix}/v1`. */
    setUpEndpoints: setUpEndpoints({ ...web, setUp }),
    openSetUp: setUp.open,
    /** While false, the admin prefix is 404. */
    isAdminEnabled: (): boolean => config.get("api.admin_token") !== "",
    /** While false, the health endpoints are 404. */
    isHealthEnabled: (): boolean =>
      config.get("api.admin_token") !== "" || config.get("api.health_token") !== "",
    clientAddress,
    isTrustedProxy,
    users,
    contacts,
    teams,
    sessions,
    secondFactor,
    apiTokens,
    /** For passwords of links and shares. */
    takeTry: addressLimit.take,
    checkVisitorPassword: passwordCheck.checkVisitor,
    waysToSignIn: oidc.waysToSignIn,
    refusalOfPasswordSignIn: oidc.refusalOfPasswordSignIn,
    resetAdminPassword: login.resetAdminPassword,
    /** Removes at most 75,000 ended sessions, API tokens that expired long ago, and stale delays. */
    cleanUp: (): Promise<number> =>
      inRounds([sessions.removeEnded, apiTokens.removeExpired, accountDelay.removeForgotten]),
  };
}

const knownName = (name: string): string | null => (name === "Other" ? null : name);
const openOidc = (
  { database, changes, record, config, box, clock, logger }: Deps,
  parts: { users: UsersRepository; sessions: Sessions; signIns: SignInEvents },
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

const oidcLimit = (clock: Clock) =>
  createAddressLimit(createAddressBuckets({ clock, atOnce: OIDC_AT_ONCE }).tryNow, "Too many sign-ins");

const contactsOf = ({ config, ...deps }: Deps, users: Users, login: Login): Contacts =>
  createContacts({
    ...deps,
    repository: createContactRepository(deps.database),
    users,
    secret: () => config.get("api.jwt_secret"),
    adminPasswordHash: () => config.get("api.admin_token"),
    setAdminPassword: (plain) => login.resetAdminPassword(plain, BUILT_IN_ADMIN.username),
    checkPassword: async (account, password, address) =>
      void (await login.checkOwn(account, { password, address })),
  });

async function inRounds(removals: readonly ((limit: number) => Promise<number>)[]): Promise<number> {
  let total = 0;
  for (const remove of removals) {
    for (
      let round = 0, removed = CLEAN_UP_ROWS;
      round < CLEAN_UP_ROUNDS && removed === CLEAN_UP_ROWS;
      round++
    ) {
      removed = await remove(CLEAN_UP_ROWS);
      total += removed;
    }
  }
  return total;
}
