import { z } from "zod";
import { actorOf, type Endpoint, endpoint, type HttpContext, page } from "../../http/endpoint.ts";
import { appError } from "../../lib/errors.ts";
import { ROLES } from "../../lib/access.ts";
import { pageOf, pageQuery } from "../../lib/page-query.ts";
import { queryText } from "../../lib/query-text.ts";
import { BUILT_IN_ADMIN } from "../account.ts";
import {
  belongingsView,
  BUILT_IN_ADMIN_VIEW,
  createUserSchema,
  listedUserView,
  updateUserSchema,
  userView,
  viewListedUser,
  viewUser,
} from "./user.ts";
import type { Users } from "./service.ts";

const listQuery = z.object({
  ...pageQuery,
  search: queryText(64).optional().describe("a part of the username"),
  role: z.enum(["", ...ROLES], `must be one of ${ROLES.join(", ")}`).optional(),
  disabled: z.enum(["true", "false", ""], "must be true or false").optional(),
});

const TAG = "users";
const params = { id: z.int().min(BUILT_IN_ADMIN.id) };

export const userEndpoints = (deps: { users: Users }): Endpoint[] => [
  ...collectionEndpoints(deps),
  ...itemEndpoints(deps),
];

function collectionEndpoints({ users }: { users: Users }): Endpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/users",
      access: "admin",
      scope: "admin",
      tag: TAG,
      summary: "List the accounts by username, without the built-in administrator",
      query: listQuery,
      answer: z.array(listedUserView),
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
    endpoint({
      method: "POST",
      path: "/users",
      access: "admin",
      scope: "admin",
      tag: TAG,
      summary: "Create an account",
      body: createUserSchema,
      failures: [409],
      status: 201,
      answer: userView,
      handle: async ({ body, account }) => viewUser(await users.create(body, actorOf(account))),
    }),
  ];
}

function itemEndpoints({ users }: { users: Users }): Endpoint[] {
  const shared = {
    path: "/users/:id",
    access: "admin",
    scope: "admin",
    tag: TAG,
    params,
    answer: userView,
  } as const;
  return [
    endpoint({
      ...shared,
      method: "GET",
      summary: "One account; 0 is the built-in administrator",
      async handle({ c }) {
        const id = idOf(c);
        return id === BUILT_IN_ADMIN.id ? BUILT_IN_ADMIN_VIEW : viewUser(await users.get(id));
      },
    }),
    endpoint({
      ...shared,
      method: "GET",
      path: "/users/:id/belongings",
      summary: "What an account has; deleting it deletes its files, folders and tokens, but no links",
      answer: belongingsView,
      async handle({ c }) {
        const { bytes, ...counts } = await users.belongings(idOf(c));
        return { used_bytes: bytes, ...counts };
      },
    }),
    endpoint({
      ...shared,
      method: "PATCH",
      summary:
        "Change the given fields; a new password, another role or disabling ends the account's sessions",
      body: updateUserSchema,
      failures: [409],
      handle: async ({ c, body, account }) =>
        viewUser(await users.update(changeableIdOf(c), body, actorOf(account))),
    }),
    endpoint({
      ...shared,
      method: "DELETE",
      summary: "Delete an account and its sessions",
      answer: z.object({ message: z.string() }),
      async handle({ c, account }) {
        await users.remove(changeableIdOf(c), actorOf(account));
        return { message: "Account deleted" };
      },
    }),
  ];
}

/** @throws NotFound when the parameter is not an id */
function idOf(c: HttpContext): number {
  const text = c.req.param("id") ?? "";
  const id = /^(0|[1-9]\d{0,15})$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(id)) throw appError("NotFound", "There is no such account.");
  return id;
}

/** @throws NotFound, Forbidden */
function changeableIdOf(c: HttpContext): number {
  const id = idOf(c);
  if (id !== BUILT_IN_ADMIN.id) return id;
  throw appError(
    "Forbidden",
    "The built-in administrator can't be changed here. Use PUT /auth/password or the command 'reset-password'.",
  );
}
