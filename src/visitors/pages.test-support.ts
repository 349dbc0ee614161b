import { createBodyMemory } from "../platform/http/body-memory.ts";
import { ACCENT } from "../lib/tokens.ts";
import { createIdentity } from "./identity.ts";
import { createVisitorPages } from "./look.ts";
import { createFormReader } from "./unlock.ts";
import { createLostPages } from "./lost-pages.ts";
import { createSiteFiles } from "./site-files.ts";

const identity = createIdentity({
  get: (key) =>
    ({
      "features.instance_name": "Waymark",
      "features.accent_color": ACCENT,
      "features.logo": "",
      "privacy.imprint_url": "",
      "privacy.notice_url": "",
    })[key],
});
export const testVisitorPages = createVisitorPages(identity);
/** What the redirect responds where no link leads. */
export const testLostParts = {
  pages: createLostPages(testVisitorPages),
  files: createSiteFiles(identity),
  wellKnown: { at: () => null },
  visitorPages: testVisitorPages,
  missed: () => {},
  targets: {
    find: async () => null,
    report: async () => false,
    takesReports: () => false,
    guards: { takeTry: () => undefined, clientAddress: (peer: string) => peer },
    readForm: createFormReader(createBodyMemory()),
  },
};
