import type { HttpContext } from "../platform/http/endpoint.ts";
import { createAccountDelay } from "./login/account-delay.ts";
import { createAddressBuckets, createAddressLimit } from "./address-limit.ts";
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
import { createSecondFactor, type SecondFactor } from "./second-factor/service.ts";
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
import {
  type AuthDeps,
  createClientOf,
  openApiTokens,
  oidcLimit,
  openContacts,
  openOidc,
  openPasskeys,
  openSessions,
  openTeams,
} from "./auth-parts.ts";

export type Auth = ReturnType<typeof createAuth>;

const CLEAN_UP_ROWS = 1000;
const CLEAN_UP_ROUNDS = 25;

export function createAuth({ onFailure = () => {}, ...others }: AuthDeps) {
  const deps = { ...others, onFailure };
  const { database, config, clock, tryLogin = createAddressBuckets({ clock }).tryNow } = deps;
  const usersRepository = createUsersRepository(database);
  const tokens = createTokens({ secret: () => config.get("api.jwt_secret"), clock });
  const sessions = openSessions(deps, tokens);
  const accountDelay = createAccountDelay({ repository: createLoginFailuresRepository(database), clock });
  const addressLimit = createAddressLimit(tryLogin);
  const passwordCheck = createPasswordCheck({ ...deps, accountDelay });
  const apiTokens = openApiTokens(deps);
  const secondFactor = createSecondFactor({
    ...deps,
    repository: createSecondFactorRepository(database),
    accountDelay,
    sessions,
  });
  const teams = openTeams(deps, accountDelay);
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
  const signIns = createSignInEvents(deps);
  const setUp = createSetUp({ ...deps, repository: setUpRepository, sessions, signIns });
  const mails = createSignInMails({ ...deps, repository: createContactRepository(database) });
  const oidc = openOidc(deps, {
    users: usersRepository,
    sessions,
    tokens,
    signIns,
    notifyNewBrowser: mails.newBrowser,
  });
  const proofs = { tokens, passwordCheck, accountDelay, secondFactor };
  const login = createLogin({
    ...deps,
    ...proofs,
    users: usersRepository,
    sessions,
    signIns,
    closeSetUp: setUpRepository.removeAll,
    notifyNewBrowser: mails.newBrowser,
  });
  const prove = createOwnProof({ login, secondFactor, clock });
  const contacts = openContacts(deps, { users, login, prove });
  const passkeys = openPasskeys(deps, { sessions, tokens, signIns, mails, secondFactor });
  const { clientAddress, trustedHop } = deps.proxies;
  const addressOf = (c: HttpContext): string =>
    clientAddress(c.env.peerAddress(), c.req.header("X-Forwarded-For") ?? null);
  const clientOf = createClientOf(deps, addressOf);
  const refuseForeign = (c: HttpContext) => refuseCrossSite(c.req.raw, config);
  const guards = createGuards({ ...deps, sessions, apiTokens, secondFactor, addressOf });
  const web = {
    config,
    addressLimit,
    addressOf,
    clientOf,
    login,
    sessions,
    oidc,
    users,
    contacts,
    secondFactor,
    passkeys,
    clock,
    refuseForeign,
    prove,
    requireFactor: requireFactorBy(secondFactor),
  };
  return {
    ...guards,
    refuseForeign,
    requireFactor: web.requireFactor,
    /** See sessions/origin.ts. */
    refuseRebound: (c: HttpContext) => refuseRebound(c.req.raw, config, config.get("features.public_url")),
    /** Relative to `{admin_prefix}/v1`. */
    endpoints: [
      ...oidcEndpoints({ ...web, addressLimit: oidcLimit(clock) }),
      ...authEndpoints(web),
      ...secondFactorEndpoints(web),
      ...passkeyEndpoints({ ...web, refusePasskey: oidc.refusePassword }),
      ...ownSessionEndpoints(web),
      ...userEndpoints(web),
      ...contactEndpoints(web),
      ...teamEndpoints({ teams }),
      ...tokenEndpoints({ ...web, apiTokens, now: clock.now }),
    ],
    /** Relative to `{routes.frontend_prefix}/v1`. */
    setUpEndpoints: setUpEndpoints({ ...web, setUp }),
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
    users,
    contacts,
    teams,
    sessions,
    secondFactor,
    apiTokens,
    /** Counts an attempt on the password of a link or share. */
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

/** @throws Forbidden for a session that has not shown its account's second factor */
const requireFactorBy =
  ({ requireConfirmed }: Pick<SecondFactor, "requireConfirmed">) =>
  async (c: HttpContext): Promise<void> =>
    void (await requireConfirmed(c.get("account")));

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
