import { loadTexts } from "./i18n.ts";

const catalog = (language: string) => import(`../locales/webhooks/${language}.po`);

/** Loads the page of webhooks together with its texts. */
export async function withWebhookTexts<T>(load: () => Promise<T>): Promise<T> {
  const [part] = await Promise.all([load(), loadTexts(catalog)]);
  return part;
}
