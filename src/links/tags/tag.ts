/** Tags of links: 1 to 64 characters, stored trimmed, in lower case and NFC. Any script, commas and quotes are fine. */
import { z } from "zod";
import { appError } from "../../lib/errors.ts";
import type { Actor } from "../../lib/actor.ts";
import type { BulkId } from "../bulk-id.ts";
import { chunked } from "../../lib/chunked.ts";
import { type EventRecord, PART_OF_BULK } from "../../lib/event.ts";

export const MOST_TAGS = 16;
const TAG_MAX_LENGTH = 64;
/** Units of UTF-16 before normalisation, which joins at most three. */
const MOST_UNITS = 6 * TAG_MAX_LENGTH;

/** Bidirectional ones reorder visible text. */
const CONTROL = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u;
const INVISIBLE = /[\s\p{Z}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu;

const RULE = `1 to ${TAG_MAX_LENGTH} characters, kept in lower case`;

export const tagText = z.string().describe(RULE).meta({ minLength: 1 });

/** checkTags words the refusals. */
export const tagList = z.array(z.string()).max(MOST_TAGS).describe(`tags of ${RULE}`);

/** As stored and compared. @throws BadRequest */
export function checkTag(text: string): string {
  if (text.length > MOST_UNITS) throw tooLong();
  if (!text.isWellFormed()) throw refused("is broken Unicode");
  const tag = text.normalize("NFC").toLowerCase().normalize("NFC").trim();
  if (tag === "") throw refused("is empty");
  if ([...tag].length > TAG_MAX_LENGTH) throw tooLong();
  if (CONTROL.test(tag))
    throw refused("can't contain control characters, nor characters that change the direction of text");
  const visible = tag.replaceAll(INVISIBLE, "");
  if (visible === "") throw refused("shows nothing");
  // Paths with such a segment are rewritten by clients.
  if (visible === "." || visible === "..") throw refused("can't be '.' or '..'");
  return tag;
}

/** Distinct and sorted. @throws BadRequest */
export const checkTags = (texts: readonly string[]): string[] => sortedTags(texts.map(checkTag));

export const sortedTags = (tags: Iterable<string>): string[] => [...new Set(tags)].sort();

type TagsChange = {
  tags?: readonly string[] | undefined;
  addTags?: readonly string[];
  removeTags?: readonly string[];
};

/** The tags of a link after a change. */
export function tagsAfter(before: readonly string[], change: TagsChange): readonly string[] {
  const { tags = before, addTags = [], removeTags = [] } = change;
  return sortedTags([...tags.filter((tag) => !removeTags.includes(tag)), ...addTags]);
}

const refused = (reason: string) =>
  appError("BadRequest", `A tag ${reason}; choose another.`, { field: "tags" });
const tooLong = () =>
  appError("BadRequest", `A tag has at most ${TAG_MAX_LENGTH} characters.`, { field: "tags" });

export const tooManyTags = (code: string) =>
  appError("BadRequest", `The link "${code}" would have more than ${MOST_TAGS} tags; remove some.`, {
    field: "tags",
  });

/** The links that lost a tag in a change: an event for undo. */
export type TagPart = {
  from: string;
  /** The tag that they got instead, or null. */
  to: string | null;
  /** Ids of links. */
  moved: readonly number[];
  /** The links among them that had `to` already. */
  had: readonly number[];
};

const ids = z.array(z.int());
const shape = z.object({ from: z.string(), to: z.string().nullable(), moved: ids, had: ids });

/** Links; one transaction takes a part back. */
export const MOST_OF_PART = 500;

export const readTagPart = (json: string | null): TagPart => shape.parse(JSON.parse(json ?? "{}"));

export const partEvents = (actor: Actor, { at, bulk }: BulkId, part: TagPart): EventRecord[] => {
  const had = new Set(part.had);
  return [...chunked(part.moved, MOST_OF_PART)].map((moved) => ({
    at,
    actor,
    action: PART_OF_BULK,
    subject: part.from,
    bulk,
    before: { ...part, moved, had: moved.filter((id) => had.has(id)) } satisfies TagPart,
  }));
};
