/** The links that lost a tag in a change: an event for undo. */
import { z } from "zod";
import type { Actor } from "../../lib/actor.ts";
import type { BulkId } from "../bulk-id.ts";
import { chunked } from "../../lib/chunked.ts";
import { type EventRecord, PART_OF_BULK } from "../../lib/event.ts";

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
