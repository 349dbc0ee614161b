import { loadTexts } from "../base/i18n.ts";

const catalog = (language: string) => import(`../locales/security/${language}.po`);

/** Of the folder `security`; load them before it. */
export const loadSecurityTexts = (): Promise<void> => loadTexts(catalog);
