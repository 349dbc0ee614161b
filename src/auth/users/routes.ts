import type { RequestChecks } from "../auth-core.ts";
import { z } from "zod";
import { actorOf, type Endpoint, endpoint, type HttpContext, page } from "../../platform/http/endpoint.ts";
import { appError } from "../../lib/errors.ts";
import { idParameter } from "../../lib/id-parameter.ts";
import { ROLES } from "../../lib/access.ts";
import { pageOf, pageQuery } from "../../lib/page-query.ts";
import { queryText } from "../../lib/query-text.ts";
import { BUILT_IN_ADMIN } from "../account.ts";
import {
  belongingsView,
  createUserSchema,
  listedUserView,
  personView,
  transferQuery,
  updateUserSchema,
  userView,
  viewBuiltIn,
  viewListedUser,
  viewPerson,
  viewUser,
} from "./user.ts";
import { createLanguageChoice } from "../../lib/language.ts";
import type { Actor } from "../../lib/actor.ts";
import type { CreateUser, UpdateUser, User } from "./user.ts";
import type { Users } from "./service.ts";

type Deps = RequestChecks & {
  secondFactor: { reset(account: { id: number; username: string }, actor: Actor): Promise<void> };
  users: Users;
  /** They send mails to new addresses. */
  contacts: {
    createUser(fields: CreateUser, actor: Actor): Promise<User>;
    updateUser(id: number, fields: UpdateUser, actor: Actor): Promise<User>;
    inviteAgain(id: number, actor: Actor): Promise<User>;
    /** The contact of the built-in administrator. */
    get(accountId: number): Promise<Pick<User, "email" | "emailVerified" | "language" | "displayName">>;
  };
};

const listQuery = z.object({
  ...pageQuery,
  search: queryText(64).optional().describe("a part of the username or display name"),
  role: z.enum(["", ...ROLES], `must be one of ${ROLES.join(", ")}`).optional(),
  disabled: z.enum(["true", "false", ""], "must be true or false").optional(),
});

const MOST_NAMES = 100;

const peopleQuery = z.object({
  names: queryText(MOST_NAMES * 65)
    .optional()
    .describe(`at most ${MOST_NAMES} usernames, separated by commas; others are left out`),
  search: queryText(64)
    .optional()
    .describe("a part of the name of an account, for administrators and managers of teams"),
});

const params = { id: z.int().min(BUILT_IN_ADMIN.id) };

export const userEndpoints = (deps: Deps): Endpoint[] => [
  peopleEndpoint(deps),
  ...collectionEndpoints(deps),
  ...itemEndpoints(deps),
];

const shared = { access: "admin", scope: "admin", tag: "users" } as const;

function collectionEndpoints({ users, contacts, requireFactor: admit }: Deps): Endpoint[] {
  const chooseLanguage = createLanguageChoice();
  return [
    endpoint("GET /users", {
      ...shared,
      summary: "List the accounts by username, without the built-in administrator",
      query: listQuery,
      response: z.array(listedUserView),
      paged: true,
      async handle({ query: { search, role, disabled, ...paging } }) {
        const at = pageOf(paging);
        const filter = {
          search,
          role: role || undefined,
          disabled: disabled ? disabled === "true" : undefined,
        };
        const { users: listed, total } = await users.list(at, filter);
        return page(listed.map(viewListedUser), { ...at, total });
      },
    }),
    endpoint("POST /users", {
      ...shared,
      admit,
      summary: "Create an account, with a password or with a mail that invites it to choose one",
      body: createUserSchema,
      failures: [409],
      status: 201,
      response: userView,
      async handle({ c, body, account }) {
        const language = body.language ?? chooseLanguage(c.req.header("Accept-Language") ?? null);
        return viewUser(await contacts.createUser({ ...body, language }, actorOf(account)));
      },
    }),
  ];
}

const peopleEndpoint = ({ users }: Deps): Endpoint =>
  endpoint("GET /people", {
    access: "account",
    scope: "any",
    tag: "users",
    summary: "What accounts are called: those of `names` that have a display name, or ten whose names match",
    query: peopleQuery,
    response: z.array(personView),
    async handle({ query: { names, search }, account }) {
      if ((account.token?.folderId ?? null) !== null)
        throw appError("Forbidden", "The API token reaches one folder only, and no names of accounts.");
      const found =
        search === undefined
          ? await users.displayNames((names ?? "").split(",").slice(0, MOST_NAMES))
          : await users.suggestions(search, actorOf(account));
      return found.map(viewPerson);
    },
  });

function itemEndpoints({ users, contacts, secondFactor, requireFactor: admit }: Deps): Endpoint[] {
  const item = { ...shared, params, response: userView } as const;
  return [
    endpoint("GET /users/:id", {
      ...item,
      summary: "One account; 0 is the built-in administrator",
      async handle({ c }) {
        const id = idOf(c);
        return id === BUILT_IN_ADMIN.id ? viewBuiltIn(await contacts.get(id)) : viewUser(await users.get(id));
      },
    }),
    endpoint("GET /users/:id/belongings", {
      ...item,
      summary: "What an account has; deleting it deletes its files, folders and tokens, but no links",
      response: belongingsView,
      async handle({ c }) {
        const { bytes, ...counts } = await users.belongings(idOf(c));
        return { used_bytes: bytes, ...counts };
      },
    }),
    endpoint("PATCH /users/:id", {
      ...item,
      admit,
      summary:
        "Change the given fields; a new password, another role or disabling ends the account's sessions",
      body: updateUserSchema,
      failures: [409],
      handle: async ({ c, body, account }) =>
        viewUser(await contacts.updateUser(changeableIdOf(c), body, actorOf(account))),
    }),
    endpoint("POST /users/:id/invite", {
      ...item,
      admit,
      summary: "Invite an account anew: mail a link, valid for 24 hours, by which it chooses its password",
      failures: [409],
      handle: async ({ c, account }) =>
        viewUser(await contacts.inviteAgain(changeableIdOf(c), actorOf(account))),
    }),
    endpoint("DELETE /users/:id/second-factor", {
      ...item,
      admit,
      summary:
        "Remove the authenticator app, recovery codes and passkeys of an account, and end its sessions",
      done: "Second factor removed",
      handle: async ({ c, account }) =>
        secondFactor.reset(await users.get(changeableIdOf(c)), actorOf(account)),
    }),
    endpoint("DELETE /users/:id", {
      ...item,
      admit,
      summary: "Delete an account and its sessions; transfer_to gets its links, files and domains",
      query: transferQuery,
      failures: [409],
      done: "Account deleted",
      handle: ({ c, query, account }) => users.remove(changeableIdOf(c), actorOf(account), query.transfer_to),
    }),
  ];
}

const idOf = (c: HttpContext): number => idParameter(c, "NotFound", "There is no such account.", 0);

/** @throws NotFound, Forbidden */
function changeableIdOf(c: HttpContext): number {
  const id = idOf(c);
  if (id !== BUILT_IN_ADMIN.id) return id;
  throw appError(
    "Forbidden",
    "The built-in administrator can't be changed here. Use PUT /auth/password or the command 'reset-password'.",
  );
}
