import { placedEndpoint } from "../tree/entry-id.ts";
import { z } from "zod";
import { CursorPage, type Endpoint, endpoint } from "../../platform/http/endpoint.ts";
import { cursorQuery, cursorText, limitOf, placeOf } from "../../lib/cursor.ts";
import { locatedEntryView, viewLocated } from "../tree/located-entry.ts";
import { ownerQuery, type Trees } from "../tree/trees.ts";
import type { FileSearch } from "./service.ts";

const MOST_CHARACTERS = 255;
const place = z.object({ parentId: z.int().min(0), name: z.string().max(MOST_CHARACTERS) });

const searchQuery = z.object({
  q: z
    .string("must be a text to look for")
    .min(1, "must have at least one character")
    .max(MOST_CHARACTERS)
    .describe("part of a name; case is ignored, every character stands for itself")
    .meta({ examples: ["report"] }),
  ...cursorQuery,
  ...ownerQuery,
});

type Deps = { search: FileSearch; trees: Trees };

/** Mount it at the root, before the files. */
export const searchEndpoint = ({ search, trees }: Deps): Endpoint =>
  endpoint("GET /files/search", {
    ownsPath: true,
    ...placedEndpoint("files"),
    summary:
      "Find files and folders by a part of their names, by folder and name; a page may be short before the last one",
    query: searchQuery,
    response: z.array(locatedEntryView),
    paged: "cursor",
    async handle({ c, account, query: { q, cursor, limit, ...owner } }) {
      const after = placeOf(place, cursor);
      const { tree, within } = await trees.listed({ c, account }, owner);
      const { entries, next } = await search.page(tree, q, after, limitOf(limit), within);
      return new CursorPage(entries.map(viewLocated), next && cursorText(next));
    },
  });
