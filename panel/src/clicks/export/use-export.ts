import { markOutdated } from "../../base/connection.ts";
import { loaded } from "../../base/lazy.ts";
import { useFailureNotice } from "../../ui/notices/undo.tsx";
import type * as Reports from "./reports.ts";

/** Runs an export. Few export, so the code loads on demand. */
export function useExport(): (run: (part: typeof Reports) => Promise<void>) => void {
  const onFailure = useFailureNotice();
  return (run) =>
    void loaded(() => import("./reports.ts")).then((part) => run(part).catch(onFailure), markOutdated);
}
