import { createVisitorPages } from "./look.ts";
import { createLostPages } from "./lost-pages.ts";
import { createSiteFiles } from "./site-files.ts";

const accentColor = () => "#1757c2";
export const testVisitorPages = createVisitorPages({ instanceName: () => "Waymark", accentColor });
/** What the redirect answers where no link leads. */
export const testLostParts = {
  pages: createLostPages(testVisitorPages),
  files: createSiteFiles({ accentColor }),
};
