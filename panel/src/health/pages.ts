/** The page of the server's health, together with its texts. */
import { loadTexts } from "../base/i18n.ts";

export { HealthPage } from "./health-page.tsx";

await loadTexts((language) => import(`../locales/health/${language}.po`));
