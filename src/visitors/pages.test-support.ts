import { createVisitorPages } from "./look.ts";

export const testVisitorPages = createVisitorPages({
  instanceName: () => "Waymark",
  accentColor: () => "#1757c2",
});
