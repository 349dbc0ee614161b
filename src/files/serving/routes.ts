/** The endpoints of shares and drop boxes for their owners. */
import { z } from "zod";
import {
  actorOf,
  type Endpoint,
  endpoint,
  type HttpContext,
  type Caller,
  CursorPage,
  page,
  requireScope,
  messageResponse,
} from "../../platform/http/endpoint.ts";
import { reachesRole, type Role } from "../../lib/access.ts";
import { AppError, appError } from "../../lib/errors.ts";
import { CODE_FORM, isCodeText } from "../../links/link/code.ts";
import { wholeCodeOf } from "../../links/link/routes.ts";
import { entryIn, placedEndpoint, treeEndpoint } from "../tree/entry-id.ts";
import {
  folderShareSchema,
  shareSchema,
  shareView,
  viewOfShare,
  itemsShareSchema,
  shareChangeSchema,
  shareListQuery,
} from "./schemas.ts";
import { shareNotFound, type ShareChanges } from "./changes.ts";
import type { Shareable, ShareRecord } from "./served.ts";
import { ROOT } from "../tree/entry.ts";
import { ownerQuery } from "../tree/trees.ts";
import type { TreeInput, Trees } from "../tree/trees.ts";
import type { OwnedShares } from "./service.ts";
import { namedObject } from "../../lib/named-object.ts";
import { isSet } from "../../lib/query-text.ts";
import { pageOf } from "../../lib/page-query.ts";
import { idsOfItems } from "./plan.ts";
import { type ShareRules, shareRulesView } from "./rules.ts";
import { cursorQuery, cursorText, limitOf, placeOf } from "../../lib/cursor.ts";
import { createView } from "../../lib/case-names.ts";
import { SHARE_MAIL_STATES } from "../recipients/mails.ts";
import { recipientFields } from "../recipients/recipients.ts";

/** Parameter `code` of the path. @throws LinkNotFound for an impossible code */
export function shareCodeIn(c: HttpContext): string {
  const code = c.req.param("code") ?? "";
  if (!isCodeText(code)) throw shareNotFound();
  return code;
}

/** The tree and the code of the share in the path. @throws LinkNotFound, Forbidden for viewers */
export async function shareIn(
  trees: Pick<Trees, "ownerOf">,
  { c, account }: TreeInput & { c: HttpContext },
): Promise<[tree: number, code: string]> {
  const share = shareCodeIn(c);
  return [await trees.ownerOf({ c, account }, { share }), share];
}

/** Whether the whole path is the code of a share that the caller sees, such as `a/items`. */
const yieldsBelow =
  ({ shares, trees }: Pick<Deps, "shares" | "trees">, below: string) =>
  async ({ c, account }: TreeInput & { c: HttpContext }): Promise<boolean> => {
    const share = wholeCodeOf(c, below);
    if (share === null) return false;
    try {
      await shares.get(await trees.ownerOf({ c, account }, { share }), share);
      return true;
    } catch (error) {
      if (error instanceof AppError && error.kind === "not_found") return false;
      throw error;
    }
  };

/** Roles that may not choose the code of a link may not choose a share's. @throws Forbidden */
export function refuseOwnCode({ role }: { role: Role }, code: string | null | undefined): void {
  if (reachesRole(role, "editor") || !code) return;
  throw appError(
    "Forbidden",
    "Only editors and administrators choose the code of a share; leave code out for a random one.",
  );
}

type Deps = { shares: OwnedShares; trees: Trees; changes: ShareChanges; rules: ShareRules };

/** Those below a code come first, because codes have slashes. */
export const servingEndpoints = (deps: Deps): Endpoint[] => [
  ...entryEndpoints(deps),
  ...recipientEndpoints(deps),
  ...itemEndpoints(deps),
  ...manageEndpoints(deps),
];

const entryEndpoints = (deps: Deps): Endpoint[] =>
  (["file", "folder"] as const).flatMap((kind) => endpointsOf(deps, kind));

/** What endpoints share that end the share in the path: its state for If-Match. */
export const lockedShareOf = (
  changes: Pick<ShareChanges, "locked">,
  treeOf: (input: TreeInput & { c: HttpContext }) => Promise<number>,
) => ({
  locked: async (input: TreeInput & { c: HttpContext }, tx: never) =>
    viewOfShare(await changes.locked(await treeOf(input), shareCodeIn(input.c), tx), input.c.env.origin()),
});

function endpointsOf({ shares, trees, changes }: Deps, kind: Shareable["kind"]): Endpoint[] {
  const path = `/${kind}s/:id/share`;
  const ofEntries = placedEndpoint(`${kind}s`);
  const placed = async (input: TreeInput & { c: HttpContext }): Promise<[number, Shareable]> => {
    const [tree, id] = await entryIn(trees, input, kind === "file" ? "FileNotFound" : "FolderNotFound");
    return [tree, { kind, id }];
  };
  return [
    endpoint(`POST ${path}`, {
      ...ofEntries,
      tagged: true,
      summary: `Share a ${kind} by a short link`,
      body: kind === "file" ? shareSchema : folderShareSchema,
      failures: [403, 409],
      status: 201,
      response: shareView,
      async handle({ c, account, body }) {
        refuseOwnCode(account, body.code);
        const made = await shares.create(...(await placed({ c, account })), body, actorOf(account));
        return viewOfShare(made, c.env.origin());
      },
    }),
    endpoint(`GET ${path}`, {
      ...ofEntries,
      summary: `The short links that share a ${kind}, newest first`,
      response: z.array(shareView),
      async handle({ c, account }) {
        const origin = c.env.origin();
        return (await shares.list(...(await placed({ c, account })))).map((share) =>
          viewOfShare(share, origin),
        );
      },
    }),
    endpoint(`DELETE ${path}/:code{.+}`, {
      ...ofEntries,
      ...lockedShareOf(changes, async (input) => (await placed(input))[0]),
      params: { code: z.string().meta(CODE_FORM) },
      summary: `Stop sharing a ${kind} under a code`,
      done: "Share revoked",
      handle: async ({ c, account }) =>
        shares.revoke(...(await placed({ c, account })), shareCodeIn(c), actorOf(account)),
    }),
  ];
}

const ofAllShares = treeEndpoint("shares");
const ofShares = placedEndpoint("shares");
const params = { code: z.string().meta(CODE_FORM) };

function manageEndpoints({ shares, trees, changes, rules }: Deps): Endpoint[] {
  const placed = (input: TreeInput & { c: HttpContext }) => shareIn(trees, input);
  const changed = lockedShareOf(changes, async (input) => (await placed(input))[0]);
  return [
    endpoint("GET /files/share-policy", {
      ...ofAllShares,
      summary: "The limits of your shares and drop boxes, which the settings files.share_policy set",
      response: shareRulesView,
      handle: async ({ account }) => rules.of(account.role),
    }),
    endpoint("GET /files/shared", {
      ...ofAllShares,
      summary:
        "Which entries of a folder are shared by themselves or take files now; without those whose codes have expired",
      query: markQuery,
      response: z.array(markView),
      async handle({ c, account, query: { folder_id: id, ...owner } }) {
        const input = { c, account };
        const tree = id ? await trees.ownerOf(input, { entry: Number(id) }) : await trees.named(input, owner);
        return shares.marks(tree, id ? Number(id) : ROOT);
      },
    }),
    endpoint("GET /shares", {
      ...ofShares,
      summary:
        "List your shares and drop boxes or those of a team; administrators also list those of all, API tokens of one folder those of what is in it",
      query: shareListQuery,
      failures: [403],
      response: z.array(shareView),
      paged: "either",
      async handle({ c, query, account }) {
        const ofAll = query.all === "true";
        if (ofAll && (account.role !== "admin" || trees.folderOf(account) !== null)) {
          throw appError("Forbidden", "Only administrators list the shares of all accounts.");
        }
        const ids = query.entries ? query.entries.split(",").map(Number) : [];
        const entries = ids.length > 0 ? { ids, around: isSet(query.around) } : undefined;
        await trees.checkTargets({ c, account }, ids);
        const { tree: accountId, within } =
          entries !== undefined
            ? {
                tree: await trees.ownerOf({ c, account }, { entry: ids[0]! }),
                within: trees.folderOf(account),
              }
            : ofAll
              ? { tree: null, within: null }
              : await trees.listed({ c, account }, query);
        const { search, kind, state } = query;
        const filter = { accountId, within, entries, search, kind, state };
        const origin = c.env.origin();
        const view = (share: ShareRecord) => ({
          ...viewOfShare(share, origin),
          ...(ofAll && share.owner !== null && { owner: share.owner }),
        });
        const at = pageOf(query);
        if (query.cursor === undefined) {
          const order = { by: query.sort || "created_at", isDescending: query.order !== "asc" } as const;
          const { shares: found, total } = await shares.page(filter, at, order);
          return page(found.map(view), { ...at, total });
        }
        if (query.sort || query.order) {
          throw appError("BadRequest", "With cursor the order is newest first; leave out sort and order.");
        }
        if (query.page) throw appError("BadRequest", "cursor and page exclude each other; give one of them.");
        const { shares: found, next } = await shares.after(filter, query.cursor, at.pageSize);
        return new CursorPage(found.map(view), next);
      },
    }),
    endpoint("GET /shares/:code{.+}", {
      ...ofShares,
      params,
      tagged: true,
      summary: "Read a share or drop box",
      failures: [404],
      response: shareView,
      handle: async ({ c, account }) =>
        viewOfShare(await shares.get(...(await placed({ c, account }))), c.env.origin()),
    }),
    endpoint("PATCH /shares/:code{.+}", {
      ...ofShares,
      ...changed,
      tagged: true,
      params,
      summary: "Change the given fields of a share or drop box, including what its code serves",
      body: shareChangeSchema,
      failures: [403, 404, 409],
      response: shareView,
      async handle({ c, body, account }) {
        if (body.target !== undefined) requireLinks(account);
        const { file_id, folder_id, drop, items = [] } = body;
        await trees.checkTargets({ c, account }, [file_id, folder_id, drop?.folder_id, ...idsOfItems(items)]);
        const share = await changes.patch(...(await placed({ c, account })), body, actorOf(account));
        return viewOfShare(share, c.env.origin());
      },
    }),
    endpoint("DELETE /shares/:code{.+}", {
      ...ofShares,
      ...changed,
      params,
      summary: "End a share or drop box and free its code",
      failures: [404],
      done: "Share revoked",
      handle: async ({ c, account }) => shares.end(...(await placed({ c, account })), actorOf(account)),
    }),
  ];
}

const markQuery = z.object({
  folder_id: z
    .string()
    .regex(/^\d{0,15}$/, "must be the id of a folder")
    .optional()
    .describe("absent or empty: the root"),
  ...ownerQuery,
});

const markView = namedObject("ShareMark", {
  id: z.int().describe("of the file or folder"),
  shares: z.int(),
  drops: z.int().describe("drop boxes"),
});

/** A code that redirects is a link. */
function requireLinks(caller: Caller): void {
  if (!reachesRole(caller.role, "editor")) {
    throw appError("Forbidden", "Only editors and administrators make links to URLs.");
  }
  requireScope(caller, "links:write");
}

const itemView = namedObject("SharedItem", {
  id: z.int(),
  kind: z.enum(["file", "folder"]),
  name: z.string(),
});

const itemEndpoints = ({ shares, trees }: Deps): Endpoint[] => [
  endpoint("POST /shares", {
    ...ofShares,
    tagged: true,
    summary: "Share several files and folders by one short link",
    body: itemsShareSchema,
    failures: [403, 404, 409],
    status: 201,
    response: shareView,
    async handle({ c, body, account }) {
      refuseOwnCode(account, body.code);
      const { items, ...given } = body;
      const ids = idsOfItems(items);
      await trees.checkTargets({ c, account }, ids);
      const tree = await trees.ownerOf({ c, account }, { entry: ids[0]! });
      const made = await shares.createOfItems(tree, ids, given, actorOf(account));
      return viewOfShare(made, c.env.origin());
    },
  }),
  endpoint("GET /shares/:code{.+}/items", {
    ...ofShares,
    params,
    yields: yieldsBelow({ shares, trees }, "items"),
    summary: "The files and folders that are one share; without those in the trash",
    failures: [404],
    response: z.array(itemView),
    async handle({ c, account }) {
      const found = await shares.itemsByCode(...(await shareIn(trees, { c, account })));
      return found.map(({ id, kind, name }) => ({ id, kind, name }));
    },
  }),
];

const visitView = namedObject("ShareVisit", {
  email: z.string().nullable().describe("address that the recipient has proved; null for others"),
  action: z.enum(["open", "download", "archive"]).describe("archive: the folder as a ZIP file"),
  name: z.string().nullable().describe("of the file or folder, then; null for a drop box"),
  at: z.iso.datetime(),
  browser: z.string().nullable().describe("null if it is unknown or not kept"),
  os: z.string().nullable().describe("null if it is unknown or not kept"),
  automated: z.boolean().describe("by a bot or another program, which counts as no human click"),
});

export const viewVisit = createView(visitView);

const mailView = namedObject("ShareMail", {
  email: z.string(),
  state: z.enum(SHARE_MAIL_STATES).describe("accepted: by the mail server"),
  error: z.string().nullable().describe("why it was refused"),
  queued_at: z.iso.datetime(),
  accepted_at: z.iso.datetime().nullable(),
});

export const viewShareMail = createView(mailView);

const sendBody = namedObject("ShareMails", {
  recipients: recipientFields.recipients.describe("whom of the share's; absent: all"),
});

function recipientEndpoints({ shares, trees }: Deps): Endpoint[] {
  const ofShare = { ...ofShares, params: { code: z.string().meta(CODE_FORM) } };
  return [
    endpoint("GET /shares/:code{.+}/visits", {
      ...ofShare,
      yields: yieldsBelow({ shares, trees }, "visits"),
      summary:
        "What visitors of a share or drop box opened and downloaded, newest first; the last 10,000 of the days in analytics.log_retention_days",
      query: z.object(cursorQuery),
      failures: [404],
      response: z.array(visitView),
      paged: "cursor",
      async handle({ c, account, query: { cursor, limit } }) {
        const before = placeOf(z.int(), cursor);
        const found = await shares.visits(...(await shareIn(trees, { c, account })), before, limitOf(limit));
        return new CursorPage(
          found.visits.map(viewVisit),
          found.next === null ? null : cursorText(found.next),
        );
      },
    }),
    endpoint("GET /shares/:code{.+}/mails", {
      ...ofShare,
      yields: yieldsBelow({ shares, trees }, "mails"),
      summary:
        "What became of the mails to the recipients of a share or drop box, newest first; the last 500",
      failures: [404],
      response: z.array(mailView),
      handle: async ({ c, account }) =>
        (await shares.mails(...(await shareIn(trees, { c, account })))).map(viewShareMail),
    }),
    endpoint("POST /shares/:code{.+}/mails", {
      ...ofShare,
      summary: "Send the mail with the link of a share to its recipients again",
      body: sendBody,
      failures: [404, 409, 429],
      response: messageResponse,
      async handle({ c, account, body: { recipients } }) {
        const count = await shares.sendAgain(...(await shareIn(trees, { c, account })), recipients ?? null);
        return { message: `Mails queued: ${count}` };
      },
    }),
  ];
}
