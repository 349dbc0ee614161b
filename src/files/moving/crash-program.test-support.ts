/** The process that crash.long.test.ts kills: `… DATABASE_URL DATA_FOLDER FAULT`. It moves what is to move. */
import { openDatabase } from "../../platform/db/database.ts";
import { armFault } from "../../lib/fault.ts";
import { silentLogger } from "../../lib/logger.ts";
import { startContent } from "../content.test-support.ts";

const [url = "", dataDir = "", point = ""] = process.argv.slice(2);
const database = await openDatabase({ url, poolSize: 2 }, { threads: false, logger: silentLogger });
const content = await startContent(database, { dataDir });
armFault(point);
await content.runJob("storage-move");
process.exit(0);
