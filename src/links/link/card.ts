/** What previews of messengers and networks show of a link: they get a page with it instead of the redirect. */
import { z } from "zod";
import { appError } from "../../lib/errors.ts";
import { isLegibleText } from "../../lib/file-name.ts";
import { checkHttpUrl } from "../../lib/http-url.ts";

const MOST_OF_URL = 2048;

const text = (most: number) =>
  z
    .string()
    .max(most)
    .refine(
      (given) => given.trim() === "" || isLegibleText(given),
      "must show something, on one line, without control characters and those that change the direction of text",
    )
    .nullish();

export const cardSchema = z.strictObject({
  title: text(200),
  description: text(500),
  image: z
    .string()
    .max(MOST_OF_URL)
    .meta({ format: "uri", pattern: "^\\s*[hH][tT]{2}[pP][sS]://" })
    .or(z.literal(""))
    .nullish()
    .describe("https URL of a picture"),
});
export type CardInput = z.input<typeof cardSchema>;

export const cardShown = z.object({
  title: z.string().nullable(),
  description: z.string().nullable(),
  image: z.string().nullable(),
});
export type Card = z.output<typeof cardShown>;

/** Null if it shows nothing. @throws LinkInvalidUrl */
export function parseCard(given: CardInput, { name }: { name: string }): Card | null {
  const image = given.image?.trim() || null;
  const checked = image === null ? null : checkHttpUrl(image);
  const fault = checked === null || typeof checked === "string" ? null : checked.error;
  if (fault !== null || (image !== null && !/^https:/i.test(image))) {
    const field = `${name}.image`;
    throw appError("LinkInvalidUrl", `${field}: ${fault ?? "The URL must begin with https://."}`, { field });
  }
  const card = { title: given.title?.trim() || null, description: given.description?.trim() || null, image };
  return Object.values(card).every((value) => value === null) ? null : card;
}
