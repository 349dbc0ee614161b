import type { HttpContext } from "../platform/http/endpoint.ts";
import { createAccountDelay } from "./login/account-delay.ts";
import { findAccount } from "./account.repository.ts";
import { type AddressLimit, createAddressBuckets, createAddressLimit } from "./address-limit.ts";
import { authEndpoints } from "./auth.routes.ts";
import { createGuards } from "./guards.ts";
import { createLoginFailuresRepository } from "./login/failures.repository.ts";
import { createSignInEvents } from "./login/sign-in-events.ts";
import { createLogin } from "./login/service.ts";
import { createPasswordCheck } from "./login/password.ts";
import { passkeyEndpoints } from "./passkeys/routes.ts";
import { createOwnProof } from "./second-factor/own-proof.ts";
import { createSecondFactorRepository } from "./second-factor/repository.ts";
import { secondFactorEndpoints } from "./second-factor/routes.ts";
import { createSecondFactor } from "./second-factor/service.ts";
import { ownSessionEndpoints } from "./sessions/routes.ts";
import { createTokens } from "./sessions/tokens.ts";
import { tokenEndpoints } from "./tokens/routes.ts";
import { createSetUpRepository } from "./set-up/repository.ts";
import { setUpEndpoints } from "./set-up/routes.ts";
import { createSetUp } from "./set-up/service.ts";
import { teamEndpoints } from "./teams/routes.ts";
import { createContactRepository } from "./contact/repository.ts";
import { contactEndpoints } from "./contact/routes.ts";
import { createSignInMails } from "./contact/mails.ts";
import { refuseCrossSite, refuseRebound } from "./sessions/origin.ts";
import { createUsersRepository } from "./users/repository.ts";
import { userEndpoints } from "./users/routes.ts";
import { createUsers } from "./users/service.ts";
import { oidcEndpoints } from "./oidc/routes.ts";
import type { Clock } from "../lib/clock.ts";
import type { Core } from "../platform/core.ts";
import type { SecretBox } from "../lib/secret-box.ts";
import type { AuthCore, RequestChecks } from "./auth-core.ts";
import type { ClientAddress } from "./proxies.ts";
import type { Passwords } from "./login/password.ts";
import { createSessionsRepository } from "./sessions/repository.ts";
import { createSessions } from "./sessions/service.ts";
import { createApiTokens } from "./tokens/service.ts";
import { createApiTokensRepository } from "./tokens/repository.ts";
import { createChallenges } from "./passkeys/webauthn.ts";
import { createPasskeyRepository } from "./passkeys/repository.ts";
import { createPasskeys } from "./passkeys/service.ts";
import type { AuthMail } from "./contact/mails.ts";
import { createContacts } from "./contact/service.ts";
import { createOwnerTransfer, createTeamRepository } from "./teams/repository.ts";
import { createTeams, type FileTransfer } from "./teams/service.ts";
import { createProvider } from "./oidc/provider.ts";
import { createOidcRepository } from "./oidc/repository.ts";
import { createOidc } from "./oidc/service.ts";

export type Auth = ReturnType<typeof createAuth>;

type AuthDeps = Core & {
  /** Seals secrets of authenticator apps, and what sessions by OpenID Connect keep. */
  box: SecretBox;
  files(): FileTransfer;
  /** One instance per process; see login/password.ts. */
  passwords: Passwords;
  mail: AuthMail;
  /** Names the browser and system of a User-Agent; `Other` is unknown. */
  describeAgent(userAgent: string): { browser: string; os: string };
  onFailure?: AuthCore["onFailure"];
  proxies: ClientAddress;
  /** Counts an attempt of all workers of the machine. Default: of this process. */
  tryLogin?: (address: string) => number | Promise<number>;
};

const CLEAN_UP_ROWS = 1000;
const CLEAN_UP_ROUNDS = 25;

/** The bounds per address, then one a second. Two tabs need two refreshes in 15 minutes. */
const REFRESHES_AT_ONCE = 20;
/** An organization may come from one address in the morning. */
const OIDC_AT_ONCE = 100;
const TOKEN_LOOKUPS_AT_ONCE = 50;

export function createAuth({ onFailure = () => {}, ...others }: AuthDeps) {
  const deps = { ...others, onFailure };
  const { config, clock, tryLogin = createAddressBuckets({ clock }).tryNow } = deps;
  const { clientAddress, trustedHop } = deps.proxies;
  const services = createServices(deps);
  const { login, oidc, users, contacts, teams, sessions, secondFactor, apiTokens, setUp } = services;
  const addressLimit = createAddressLimit(tryLogin);
  const addressOf = (c: HttpContext): string =>
    clientAddress(c.env.peerAddress(), c.req.header("X-Forwarded-For") ?? null);
  const clientOf = createClientOf(deps, addressOf);
  const refuseForeign = (c: HttpContext) => refuseCrossSite(c.req.raw, config);
  /** @throws Forbidden for a session that has not shown its account's second factor */
  const requireFactor = async (c: HttpContext): Promise<void> =>
    void (await secondFactor.requireConfirmed(c.get("account")));
  const checks = { config, addressLimit, addressOf, clientOf, refuseForeign, requireFactor };
  const web = { ...services, ...checks, clock };
  return {
    ...createGuards({ ...deps, sessions, apiTokens, secondFactor, addressOf }),
    refuseForeign,
    requireFactor,
    /** See sessions/origin.ts. */
    refuseRebound: (c: HttpContext) => refuseRebound(c.req.raw, config, config.get("features.public_url")),
    /** Relative to `{admin_prefix}/v1`. */
    endpoints: [
      ...oidcEndpoints({ ...web, addressLimit: limitOf(clock, OIDC_AT_ONCE, "Too many sign-ins") }),
      ...authEndpoints(web),
      ...secondFactorEndpoints(web),
      ...passkeyEndpoints({ ...web, refusePasskey: oidc.refusePassword }),
      ...ownSessionEndpoints(web),
      ...userEndpoints(web),
      ...contactEndpoints(web),
      ...teamEndpoints(web),
      ...tokenEndpoints({ ...web, now: clock.now }),
    ],
    /** Relative to `{routes.frontend_prefix}/v1`. */
    setUpEndpoints: setUpEndpoints(web),
    openSetUp: setUp.openAddress,
    /** Whether mails with links into the panel can be sent. */
    sendsMails: deps.mail.isOffered,
    /** While false, the admin prefix is 404. */
    isAdminEnabled: (): boolean => config.get("api.admin_token") !== "",
    /** While false, the health endpoints are 404. */
    isHealthEnabled: (): boolean =>
      config.get("api.admin_token") !== "" || config.get("api.health_token") !== "",
    clientAddress,
    trustedHop,
    /** With its teams. Null when deleted or disabled. */
    findAccount: (id: number) => findAccount(deps.database.read, id),
    users,
    contacts,
    teams,
    sessions,
    secondFactor,
    apiTokens,
    /** Counts an attempt on the password of a link or share. */
    takeTry: addressLimit.take,
    checkVisitorPassword: services.passwordCheck.checkVisitor,
    waysToSignIn: oidc.waysToSignIn,
    refusalOfPasswordSignIn: oidc.refusalOfPasswordSignIn,
    resetAdminPassword: login.resetAdminPassword,
    /** Removes at most 75,000 ended sessions, API tokens that expired long ago, and stale delays. */
    cleanUp: (): Promise<number> =>
      inRounds([sessions.removeEnded, apiTokens.removeExpired, services.accountDelay.removeForgotten]),
  };
}

function createServices(deps: AuthDeps & AuthCore) {
  const { database, config, clock } = deps;
  const secret = () => config.get("api.jwt_secret");
  const userRows = createUsersRepository(database);
  const setUpRows = createSetUpRepository(database);
  const contactRows = createContactRepository(database);
  const tokens = createTokens({ secret, clock });
  const accountDelay = createAccountDelay({ repository: createLoginFailuresRepository(database), clock });
  const sessions = createSessions({
    ...deps,
    repository: createSessionsRepository(database),
    tokens,
    refreshLimit: limitOf(clock, REFRESHES_AT_ONCE, "Too many refreshes"),
  });
  const apiTokens = createApiTokens({
    ...deps,
    repository: createApiTokensRepository(database),
    lookups: createAddressBuckets({ clock, atOnce: TOKEN_LOOKUPS_AT_ONCE }),
  });
  const signIns = createSignInEvents(deps);
  const mails = createSignInMails({ ...deps, repository: contactRows });
  const notifyNewBrowser = mails.newBrowser;
  const parts = { ...deps, tokens, accountDelay, sessions, signIns, mails, notifyNewBrowser };
  const passwordCheck = createPasswordCheck(parts);
  const secondFactor = createSecondFactor({ ...parts, repository: createSecondFactorRepository(database) });
  const teams = createTeams({
    ...parts,
    repository: createTeamRepository(database),
    transfer: createOwnerTransfer(database),
  });
  const users = createUsers({ ...parts, repository: userRows, teams, apiTokens, secondFactor });
  const login = createLogin({
    ...parts,
    users: userRows,
    ownerOf: contactRows.ownerOf,
    passwordCheck,
    secondFactor,
    closeSetUp: setUpRows.removeAll,
  });
  const prove = createOwnProof({ login, secondFactor, clock });
  const { resetAdminPassword } = login;
  return {
    sessions,
    apiTokens,
    accountDelay,
    passwordCheck,
    secondFactor,
    teams,
    users,
    login,
    prove,
    setUp: createSetUp({ ...parts, repository: setUpRows }),
    contacts: createContacts({ ...deps, repository: contactRows, users, prove, resetAdminPassword }),
    oidc: createOidc({
      ...parts,
      provider: createProvider(deps),
      repository: createOidcRepository(database),
      users: userRows,
    }),
    passkeys: createPasskeys({
      ...parts,
      repository: createPasskeyRepository(database),
      challenges: createChallenges({ secret, clock }),
      secondFactor,
    }),
  };
}

const limitOf = (clock: Clock, atOnce: number, what: string): AddressLimit =>
  createAddressLimit(createAddressBuckets({ clock, atOnce }).tryNow, what);

const createClientOf =
  ({ describeAgent }: AuthDeps, addressOf: RequestChecks["addressOf"]): RequestChecks["clientOf"] =>
  (c) => {
    const { browser, os } = describeAgent((c.req.header("User-Agent") ?? "").slice(0, 1024));
    return { address: addressOf(c), browser: knownName(browser), os: knownName(os) };
  };

const knownName = (name: string): string | null => (name === "Other" ? null : name);

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
