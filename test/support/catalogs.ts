import { expect, test } from "bun:test";
import { LANGUAGES } from "../../src/lib/language.ts";

type Messages = string | readonly Messages[] | { readonly [key: string]: Messages };

/** The messages by path, each with the names of its values. */
function valuesOf(messages: Messages, path = ""): Record<string, string> {
  if (typeof messages === "string") return { [path]: (messages.match(/\{\w+\}/g) ?? []).sort().join() };
  return Object.assign(
    {},
    ...Object.entries(messages).map(([key, message]) => valuesOf(message, `${path}/${key}`)),
  );
}

/** Tests that each catalog of the room has the messages and the values of the English one. */
export function testCatalogs(room: string, english: Messages): void {
  test.each(LANGUAGES.filter((language) => language !== "en"))(
    `${room}: the catalog of %s has every message, no other one, and the same values`,
    async (language) => {
      const catalog = (await Bun.file(`src/${room}/texts/${language}.json`).json()) as Messages;
      expect(valuesOf(catalog)).toEqual(valuesOf(english));
      expect(JSON.stringify(catalog)).not.toContain('""');
    },
  );
}
