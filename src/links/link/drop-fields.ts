/** What a folder that takes files asks of its senders. */
import { z } from "zod";
import { asciiLower } from "../../lib/ascii-lower.ts";

export const REQUIREMENTS = ["none", "name", "email"] as const;

const MOST_TYPES = 32;
const MOST_CHARACTERS = 64;
/** Lower case, without blanks, which separate them in the database. */
const TYPE =
  /^(?:\.?[a-z0-9_+-]{1,30}(?:\.[a-z0-9_+-]{1,20})?|[a-z]{1,20}\/(?:\*|[a-z0-9][a-z0-9!#$&^_.+-]{0,60}))$/;

const stored = (type: string): string => (type.includes("/") || type.startsWith(".") ? type : `.${type}`);

/** A refusal names the text, because a form has all of them in one field. */
const fileTypes = z
  .array(z.string().max(MOST_CHARACTERS))
  .max(MOST_TYPES)
  .overwrite((types) => types.map((text) => asciiLower(text.trim())))
  .superRefine((types, context) => {
    const wrong = types.find((type) => !TYPE.test(type));
    if (wrong === undefined) return;
    const message = `has ${JSON.stringify(wrong)}, which is neither an extension such as pdf nor a media type such as image/* or application/pdf`;
    context.addIssue({ code: "custom", message });
  })
  .overwrite((types) => types.map(stored));

export const dropAskFields = {
  require: z
    .enum(REQUIREMENTS, `must be one of ${REQUIREMENTS.join(", ")}`)
    .optional()
    .describe("what visitors give before they send files; default: none"),
  sender_folders: z.boolean().optional().describe("each sender gets a folder inside; default: false"),
  types: fileTypes
    .nullish()
    .describe("extensions and media types that it takes, such as .pdf or image/*; null or empty: all"),
};

export type DropAskInput = z.output<z.ZodObject<typeof dropAskFields>>;

/** `requires`: null for nothing. `types`: none for all. */
export type DropAsks = {
  requires: "name" | "email" | null;
  senderFolders: boolean;
  types: readonly string[];
};

export const ASKS_NOTHING: DropAsks = { requires: null, senderFolders: false, types: [] };

/** What it asks after a change. Absent: as before. */
export const asksAfter = (
  before: DropAsks,
  { require, sender_folders: senderFolders, types }: DropAskInput,
): DropAsks => ({
  requires: require === undefined ? before.requires : require === "none" ? null : require,
  senderFolders: senderFolders ?? before.senderFolders,
  types: types === undefined ? before.types : [...new Set(types)],
});

/** As events and responses show it. */
export const viewOfAsks = ({ requires, senderFolders, types }: DropAsks) => ({
  require: requires ?? ("none" as const),
  sender_folders: senderFolders,
  types: [...types],
});

/** Whether it takes a file of that name. The extension says what a file is; without a known one its media type does. */
export function takesType(types: readonly string[], name: string, mediaType: string): boolean {
  const lower = asciiLower(name);
  return (
    types.length === 0 ||
    types.some((type) => {
      if (type.startsWith(".")) return lower.endsWith(type);
      return type.endsWith("/*") ? mediaType.startsWith(type.slice(0, -1)) : mediaType === type;
    })
  );
}
