/** PDF that never ends, too. */
import "./support/long.ts";
import "./pdf-previews.ci.test.ts";
