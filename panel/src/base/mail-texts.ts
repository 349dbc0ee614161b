import { loadTexts } from "./i18n.ts";

const catalog = (language: string) => import(`../locales/mail/${language}.po`);

/** Loads a part of the panel that is about mails together with its texts. */
export async function withMailTexts<T>(load: () => Promise<T>): Promise<T> {
  const [part] = await Promise.all([load(), loadTexts(catalog)]);
  return part;
}
