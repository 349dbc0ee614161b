/** Both pages, with their texts. */
import { loadTexts } from "../../base/i18n.ts";

export { MovePage } from "./move-page.tsx";
export { MovesPage } from "./moves-page.tsx";

await loadTexts((language) => import(`../../locales/moves/${language}.po`));
