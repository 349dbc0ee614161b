/**
 * The tools of the MCP server. Each is an endpoint of the API under a name that describes its purpose; parameters,
 * query and body of the endpoint are its arguments, so nothing is described or checked twice.
 */
import { z } from "zod";
import {
  type Caller,
  type Endpoint,
  reachesBeyondFolder,
  rolePermits,
  tokenScope,
} from "../../platform/http/endpoint.ts";
import { operationIdOf } from "../../platform/http/openapi-names.ts";

type Chosen = {
  /** The name that people see. */
  title: string;
  /** What it does and when to use it, for the model. */
  description: string;
  /** Its responses carry the balance of the books. */
  counts?: true;
  /** Removes something or gives it away. */
  isDestructive?: true;
};

const LIST = "Takes pages: `page_size` and `page`, or `cursor` with the `next_cursor` of the last response.";
const RANGE =
  "Without `start_date` and `end_date` (RFC 3339) it covers the last 30 days; `visitors` is all, human or automated.";

/** Name → operation. */
const CHOSEN: Readonly<Record<string, Chosen & { operation: string }>> = {
  search_links: {
    operation: "listLinks",
    title: "Search links",
    description: `Lists short links, newest first; \`search\` finds a text in code, target, title and note, \`tag\` those with a tag. ${LIST}`,
  },
  get_link: {
    operation: "getLink",
    title: "Get a link",
    description: "Returns one short link by its code: target, dates, limits, tags and counts of clicks.",
  },
  shorten: {
    operation: "createLink",
    title: "Shorten a URL",
    description:
      "Creates a short link to `target`. Without `code` it gets a random one; with `reuse` a link with this target alone is the result, if there is one. `short_url` of the response is what to hand out.",
    // By `force`.
    isDestructive: true,
  },
  update_link: {
    operation: "patchLink",
    title: "Change a link",
    description:
      "Changes what `changes` names of the link with this code; the rest stays. An `expires_at` of now turns a link off.",
    isDestructive: true,
  },
  delete_link: {
    operation: "deleteLink",
    title: "Delete a link",
    description: "Deletes a short link. It leads nowhere at once; people can restore it for some weeks.",
    isDestructive: true,
  },
  list_tags: {
    operation: "listTags",
    title: "List tags",
    description: "Lists the tags of links, each with how many links have it.",
  },
  get_stats: {
    operation: "getStats",
    title: "Get totals",
    description: "Returns how many links and clicks there are.",
    counts: true,
  },
  report: {
    operation: "listAnalyticsReport",
    title: "Report on clicks",
    description: `Returns clicks by link, tag, domain, owner, campaign or another dimension (\`by\`), for all links or those that the filters find. ${RANGE}`,
    counts: true,
  },
  clicks_over_time: {
    operation: "getAnalyticsTrends",
    title: "Clicks over time",
    description: `Returns clicks by hour, day, week or month (\`group_by\`). ${RANGE}`,
    counts: true,
  },
  top_links: {
    operation: "listAnalyticsTop",
    title: "Top links",
    description: `Returns the links with the most clicks. ${RANGE}`,
    counts: true,
  },
  link_analytics: {
    operation: "getLinkAnalytics",
    title: "Analytics of a link",
    description: `Returns clicks of one link, in all and by time. ${RANGE}`,
    counts: true,
  },
  list_shares: {
    operation: "listShares",
    title: "List shares",
    description: `Lists shares of files and folders, and drop boxes. ${LIST}`,
  },
  get_share: {
    operation: "getShare",
    title: "Get a share",
    description: "Returns one share or drop box by its code.",
  },
  search_files: {
    operation: "listFilesSearch",
    title: "Search files",
    description: "Finds files and folders by a part of their name. Their ids are what the other tools take.",
  },
  list_folder: {
    operation: "getFolder",
    title: "List a folder",
    description: "Returns a folder with what is in it.",
  },
  share_file: {
    operation: "createFileShare",
    title: "Share a file",
    description:
      "Creates a link through which others get a file. Whoever has the link can open it, unless a password or recipients are set.",
    isDestructive: true,
  },
  share_folder: {
    operation: "createFolderShare",
    title: "Share a folder",
    description:
      "Creates a link through which others get a folder with all in it. Whoever has the link can open it, unless a password or recipients are set.",
    isDestructive: true,
  },
  update_share: {
    operation: "patchShare",
    title: "Change a share",
    description: "Changes dates, limits, password or recipients of a share.",
    isDestructive: true,
  },
  end_share: {
    operation: "deleteShare",
    title: "End a share",
    description: "Ends a share or drop box. Its files stay.",
    isDestructive: true,
  },
};

export type Tool = Chosen & {
  name: string;
  /** The prefix of its table of endpoints. */
  prefix: string;
  entry: Endpoint;
  /** Arguments that are parts of the path. */
  params: readonly string[];
  /** Arguments of the query. */
  query: readonly string[];
  /** The argument that is the body; null: what is left of the arguments. */
  body: string | null;
  inputSchema: { type: "object"; [key: string]: unknown };
};

type Tables = readonly { prefix: string; endpoints: readonly Endpoint[] }[];

/** @throws Error if an operation is gone */
export function toolsOf(tables: Tables): ReadonlyMap<string, Tool> {
  const operations = new Map(
    tables.flatMap(({ prefix, endpoints }) =>
      endpoints.map((entry) => [operationIdOf(entry), { prefix, entry }] as const),
    ),
  );
  return new Map(
    Object.entries(CHOSEN).map(([name, { operation, ...chosen }]) => {
      const found = operations.get(operation);
      if (found === undefined) throw new Error(`The tool ${name} has no operation ${operation}.`);
      return [name, { ...chosen, name, ...found, ...argumentsOf(found.entry) }];
    }),
  );
}

const ID = z.int().min(1);

/** The body has an argument of its own where a name of it is taken. */
function argumentsOf(entry: Endpoint): Pick<Tool, "params" | "query" | "body" | "inputSchema"> {
  const params = [...entry.path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
  const paramShape = Object.fromEntries(
    params.map((name) => [name, entry.params?.[name] ?? (name === "id" ? ID : z.string())]),
  );
  const queryShape = shapeOf(entry.query);
  const bodyShape = shapeOf(entry.body);
  const taken = { ...queryShape, ...paramShape };
  const isNested = Object.keys(bodyShape).some((name) => name in taken);
  const whole = z.object({ ...(isNested ? { changes: entry.body! } : bodyShape), ...taken });
  const { $schema: _, ...json } = z.toJSONSchema(whole, { io: "input", unrepresentable: "any" });
  return {
    params,
    query: Object.keys(queryShape),
    body: isNested ? "changes" : null,
    inputSchema: { ...json, type: "object", additionalProperties: false },
  };
}

const shapeOf = (schema: z.ZodType | undefined): Readonly<Record<string, z.ZodType>> =>
  schema instanceof z.ZodObject ? (schema.shape as Record<string, z.ZodType>) : {};

/** What the caller's role and the scopes of its token allow. */
export function mayUse({ role, token }: Pick<Caller, "role" | "token">, { entry }: Tool): boolean {
  const needed = tokenScope(entry);
  const isAllowed =
    token === undefined || needed === "any" || (needed !== null && token.scopes.includes(needed));
  return isAllowed && !reachesBeyondFolder(entry, token) && rolePermits(role, entry.access);
}

export const isReadOnly = ({ entry }: Tool): boolean => entry.method === "GET";
